// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Score: how good is a node that fits? Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

#include <concepts>
#include <utility>

namespace berth::detail {

BERTH_DETAIL_NAMES(score)
BERTH_DETAIL_NAMES(Score)

template <class T>
concept ScoreOfNode = requires(const T t, Pod p, Node n) {
    { t.score(p, n) } -> std::integral;
};
template <class T>
concept ScoreInCall = requires(const T t, Call c, State s, Pod p, Node n) {
    { t.score(c, s, p, n) } -> std::integral;
};
template <class T>
concept ScoreOfBatch =
    requires(const T t, Call c, State s, Pod p, Nodes n, Slots l, Scores o) { t.score(c, s, p, n, l, o); };

struct ScorePoint {
    using Table = berth_plugin_score;
    static constexpr std::string_view id = BERTH_PLUGIN_SCORE_V1;
    template <class T>
    static constexpr bool has = ScoreOfNode<T> || ScoreInCall<T> || ScoreOfBatch<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_score<T> || has<T>,
                      "score must be public and const, for several threads call it: int64_t score(Pod, Node) const, "
                      "int64_t score(Call, State, Pod, Node) const or "
                      "void score(Call, State, Pod, Nodes, Slots, Scores) const");
        static_assert(!names_Score<T>, "write score, not Score");
    }

    template <class T>
    static void score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int64_t *out,
                      berth_status *status) noexcept {
        auto &h = holder<T>(self);
        const auto &plugin = std::as_const(h.plugin);
        answer(h.host, status, [&]() -> Verdict {
            Pod p{pod, &h.host};
            if constexpr (ScoreOfBatch<T>) {
                plugin.score(Call{call, &h.host}, State{state, &h.host}, p, Nodes{nodes, &h.host}, Slots{slots, n},
                             Scores{out, n});
            } else {
                for (std::uint64_t i = 0; i < n; ++i) {
                    if (i % 64 == 63 && berth_cancelled(call)) return Verdict{BERTH_STATUS_CANCELLED};
                    Node node{nodes, slots[i], &h.host};
                    if constexpr (ScoreOfNode<T>) out[i] = plugin.score(p, node);
                    else out[i] = plugin.score(Call{call, &h.host}, State{state, &h.host}, p, node);
                }
            }
            return ok;
        });
        (void)call, (void)state;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &score<T>};
};

}  // namespace berth::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreScore: a look at all feasible nodes before any is scored. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

namespace berth::detail {

BERTH_DETAIL_NAMES(pre_score)
BERTH_DETAIL_NAMES(PreScore)
BERTH_DETAIL_NAMES(preScore)
BERTH_DETAIL_NAMES(prescore)

template <class T>
concept PreScoreOfNodes = requires(T t, Pod p, Nodes n, Slots l) {
    { t.pre_score(p, n, l) } -> gives<Verdict>;
};
template <class T>
concept PreScoreInCall = requires(T t, Call c, State s, Pod p, Nodes n, Slots l) {
    { t.pre_score(c, s, p, n, l) } -> gives<Verdict>;
};

struct PreScorePoint {
    using Table = berth_plugin_pre_score;
    static constexpr std::string_view id = BERTH_PLUGIN_PRE_SCORE_V1;
    template <class T>
    static constexpr bool has = PreScoreOfNodes<T> || PreScoreInCall<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_pre_score<T> || has<T>,
                      "pre_score must be a public Verdict pre_score([Call, State,] Pod, Nodes, Slots)");
        static_assert(!names_PreScore<T> && !names_prescore<T> && !names_preScore<T>, "write pre_score");
    }

    template <class T>
    static void pre_score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n,
                          berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (PreScoreOfNodes<T>)
                return h.plugin.pre_score(Pod{pod, &h.host}, Nodes{nodes, &h.host}, Slots{slots, n});
            else
                return h.plugin.pre_score(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                          Nodes{nodes, &h.host}, Slots{slots, n});
        });
        (void)call, (void)state;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &pre_score<T>};
};

}  // namespace berth::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// NormalizeScore: from any numbers to 0 to 100. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/detail/point/score.hpp>
#include <berth/view.hpp>

#include <concepts>

namespace berth::detail {

BERTH_DETAIL_NAMES(normalize)
BERTH_DETAIL_NAMES(Normalize)
BERTH_DETAIL_NAMES(NormalizeScore)
BERTH_DETAIL_NAMES(normalizeScore)
BERTH_DETAIL_NAMES(normalize_score)

template <class T>
concept NormalizeByFormula = requires {
    { T::normalize } -> std::convertible_to<berth::Normalize>;
};
template <class T>
concept NormalizeOfScores = requires(T t, Scores o) { t.normalize(o); };
template <class T>
concept NormalizeInCall =
    requires(T t, Call c, State s, Pod p, Nodes n, Slots l, Scores o) { t.normalize(c, s, p, n, l, o); };

struct NormalizePoint {
    using Table = berth_plugin_normalize;
    static constexpr std::string_view id = BERTH_PLUGIN_NORMALIZE_V1;
    template <class T>
    static constexpr bool has = NormalizeByFormula<T> || NormalizeOfScores<T> || NormalizeInCall<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_normalize<T> || has<T>,
                      "normalize must be a public void normalize(Scores), void normalize(Call, State, Pod, Nodes, "
                      "Slots, Scores) or "
                      "static constexpr berth::Normalize normalize");
        static_assert(!has<T> || ScorePoint::has<T>, "normalize needs score beside it");
        static_assert(
            !names_NormalizeScore<T> && !names_normalizeScore<T> && !names_normalize_score<T> && !names_Normalize<T>,
            "write normalize");
    }

    template <class T>
    static void normalize(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int64_t *inout,
                          berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (NormalizeOfScores<T>) h.plugin.normalize(Scores{inout, n});
            else
                h.plugin.normalize(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, Nodes{nodes, &h.host},
                                   Slots{slots, n}, Scores{inout, n});
            return ok;
        });
        (void)call, (void)state, (void)pod, (void)nodes, (void)slots;
    }

    template <class T>
    static constexpr Table table = [] {
        if constexpr (NormalizeByFormula<T>)
            return Table{sizeof(Table), 0, static_cast<std::uint32_t>(T::normalize), 0, nullptr};
        else return Table{sizeof(Table), 0, BERTH_NORMALIZE_CUSTOM, 0, &normalize<T>};
    }();
};

}  // namespace berth::detail

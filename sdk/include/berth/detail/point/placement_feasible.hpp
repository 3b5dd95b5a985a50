// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PlacementFeasible: can the pods of a group that are left still be placed? Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/pod_group.hpp>

#include <cstdint>
#include <utility>

namespace berth::detail {

BERTH_DETAIL_NAMES(placement_feasible)
BERTH_DETAIL_NAMES(PlacementFeasible)
BERTH_DETAIL_NAMES(placementFeasible)

struct PlacementFeasiblePoint {
    using Table = berth_plugin_placement_feasible;
    static constexpr std::string_view id = BERTH_PLUGIN_PLACEMENT_FEASIBLE_DRAFT1;
    template <class T>
    static constexpr bool has = requires(const T t, PodGroup g, std::uint64_t n) {
        { t.placement_feasible(g, n, n) } -> gives<Verdict>;
    };

    template <class T>
    static constexpr void check() {
        static_assert(
            !names_placement_feasible<T> || has<T>,
            "placement_feasible must be a public Verdict placement_feasible(PodGroup, uint64_t remaining, uint64_t "
            "scheduled) const");
        static_assert(!names_PlacementFeasible<T> && !names_placementFeasible<T>, "write placement_feasible");
    }

    template <class T>
    static void placement_feasible(void *self, const berth_call *, const berth_pod_group *group,
                                   std::uint64_t remaining, std::uint64_t scheduled, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            return std::as_const(h.plugin).placement_feasible(PodGroup{group, &h.host}, remaining, scheduled);
        });
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &placement_feasible<T>};
};

}  // namespace berth::detail

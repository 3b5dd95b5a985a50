// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The list of extension points, and what is done for each of them. Not for plugin authors.
///
/// A point is a struct in a header of detail/point: `id` and `Table` are those of its interface, `has<T>` says whether
/// a plugin class has its methods in one of their forms, `check<T>()` explains methods that are nearly right, and
/// `table<T>` has the functions that call them.

#include <berth/detail/point/bind.hpp>
#include <berth/detail/point/events.hpp>
#include <berth/detail/point/filter.hpp>
#include <berth/detail/point/normalize.hpp>
#include <berth/detail/point/permit.hpp>
#include <berth/detail/point/placement_feasible.hpp>
#include <berth/detail/point/post_bind.hpp>
#include <berth/detail/point/post_filter.hpp>
#include <berth/detail/point/pre_bind.hpp>
#include <berth/detail/point/pre_enqueue.hpp>
#include <berth/detail/point/pre_filter.hpp>
#include <berth/detail/point/pre_filter_ext.hpp>
#include <berth/detail/point/pre_score.hpp>
#include <berth/detail/point/prepare.hpp>
#include <berth/detail/point/queue_sort.hpp>
#include <berth/detail/point/remedy.hpp>
#include <berth/detail/point/reserve.hpp>
#include <berth/detail/point/score.hpp>
#include <berth/detail/point/sign.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace berth::detail {

template <class... Point>
struct PointList {
    /// Says at compile time that a method of T is nearly one of a point's.
    template <class T>
    static constexpr void check_near_misses() {
        (Point::template check<T>(), ...);
    }

    template <class T>
    static constexpr std::size_t interface_count = (std::size_t{Point::template has<T>} + ...);

    /// Calls `fn(id)` for the id of each interface that T implements, in the order of the list.
    template <class T, class Fn>
    static constexpr void each_interface(Fn fn) {
        ((Point::template has<T> ? fn(Point::id) : void()), ...);
    }

    /// The table of one interface; NULL if T does not implement it.
    template <class T>
    static const void *get_interface(std::string_view id) noexcept {
        const void *found = nullptr;
        ((Point::template has<T> && id == Point::id && (found = table<Point, T>())) || ...);
        return found;
    }

    /// Whether each id is of one point alone.
    static constexpr bool ids_differ() {
        constexpr std::array ids{Point::id...};
        for (std::size_t i = 0; i < ids.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (ids[i] == ids[k]) return false;
        return true;
    }

private:
    template <class P, class T>
    static const typename P::Table *table() noexcept {
        if constexpr (P::template has<T>) return &P::template table<T>;
        else return nullptr;
    }
};

/// In the order in which a library lists them.
using Points =
    PointList<PreEnqueuePoint, QueueSortPoint, EventsPoint, PreFilterPoint, PreFilterExtPoint, FilterPoint,
              PostFilterPoint, PreScorePoint, ScorePoint, NormalizePoint, ReservePoint, PermitPoint, PreBindPoint,
              BindPoint, PostBindPoint, PreparePoint, SignPoint, RemedyPoint, PlacementFeasiblePoint>;
static_assert(Points::ids_differ());

}  // namespace berth::detail

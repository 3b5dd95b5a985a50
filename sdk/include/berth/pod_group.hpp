// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod group, and what a plugin says of it at PlacementFeasible.
///
/// ```cpp
/// berth::Verdict placement_feasible(berth::PodGroup group, std::uint64_t remaining, std::uint64_t scheduled) const {
///     if (scheduled >= group.min_count()) return berth::ok;
///     return scheduled + remaining < group.min_count() ? berth::unschedulable("too few") : berth::not_yet("some
///     more");
/// }
/// ```

#include <berth/object.hpp>
#include <berth/verdict.hpp>

namespace berth {

/// A PodGroup and how many pods it has; valid until the call ends.
class PodGroup {
    const berth_pod_group *g_;
    const Host *host_;

public:
    PodGroup(const berth_pod_group *g, const Host *host) : g_(g), host_(host) {}
    const berth_pod_group *raw() const { return g_; }
    std::string_view name_space() const { return view(g_->namespace_); }
    std::string_view name() const { return view(g_->name); }
    Object object() const { return {g_->obj, host_}; }  ///< false: pods name it, but there is none
    bool exists() const { return g_->obj != nullptr; }
    bool is_gang() const { return g_->min_count > 0; }
    /// How many pods have to run: those of a gang, or one.
    std::uint64_t min_count() const { return is_gang() ? static_cast<std::uint64_t>(g_->min_count) : 1; }
    std::uint64_t pods() const { return g_->pods; }
    std::uint64_t scheduled() const { return g_->assumed + g_->assigned; }  ///< have a node
};

/// PlacementFeasible: the group is not placed yet, but may be.
inline Verdict not_yet(Reason reason) { return {BERTH_STATUS_WAIT, std::move(reason)}; }

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pods that wait in the scheduling queue.
///
/// ```cpp
/// std::uint64_t waiting = 0;
/// host.each_pending(BERTH_PENDING_ACTIVE | BERTH_PENDING_BACKOFF, [&](berth::PendingPod p) {
///     if (p.pod().name_space() == "team-a") ++waiting;
///     return waiting < 10;  // false ends the visit
/// });
/// ```

#include <berth/view.hpp>

#include <span>

namespace berth {

/// A pending pod; valid until the function that was given it returns.
class PendingPod {
    const berth_pending_pod *p_;
    const Host *host_;

public:
    PendingPod(const berth_pending_pod *p, const Host *host) : p_(p), host_(host) {}
    const berth_pending_pod *raw() const { return p_; }
    Pod pod() const { return {p_->pod, host_}; }
    std::uint32_t place() const { return p_->place; }  ///< one of BERTH_PENDING_…
    /// The plugins that last rejected it, by name; of a gated pod the one that gates it.
    std::span<const berth_str> plugins() const { return {p_->plugins, p_->plugins_len}; }
    bool rejected_by(std::string_view plugin) const {
        for (const auto &one : plugins())
            if (view(one) == plugin) return true;
        return false;
    }
    /// When it becomes active at the latest; 0: it is not in backoff.
    std::int64_t backoff_end_ns() const { return p_->backoff_end_ns; }
    /// Name of its PodGroup, if it waits as one of a group; else "".
    std::string_view group() const { return view(p_->group); }
    std::int32_t group_priority() const { return p_->group_priority; }  ///< by which the host sorts the group
};

template <class Fn>
bool Host::each_pending(std::uint32_t places, Fn &&fn) const {
    BERTH_USES_DRAFT(BERTH_HOST_PENDING_PODS_DRAFT1);
    if (!pending_pods_) return false;
    auto one = [&](const berth_pending_pod *pod) { return fn(PendingPod{pod, this}); };
    Visitor<decltype(one)> visitor{one};
    const auto code = function<&berth_host_pending_pods::visit>(pending_pods_, BERTH_HOST_PENDING_PODS_DRAFT1)(
        h_, places,
        [](void *ctx, const berth_pending_pod *pod) noexcept -> std::int32_t {
            return Visitor<decltype(one)>::of(ctx).run([&](auto &f) { return f(pod); });
        },
        &visitor);
    visitor.end();
    if (code == BERTH_STATUS_CANCELLED) throw std::logic_error("the queue changed within a visit of pending pods");
    if (code != BERTH_STATUS_SUCCESS)
        throw std::logic_error("pending pods cannot be visited here, or not in the places " + std::to_string(places));
    return true;
}

inline std::optional<std::uint64_t> Host::count_pending(std::uint32_t places) const {
    BERTH_USES_DRAFT(BERTH_HOST_PENDING_PODS_DRAFT1);
    if (!pending_pods_) return std::nullopt;
    std::uint64_t n = 0;
    if (function<&berth_host_pending_pods::count>(pending_pods_, BERTH_HOST_PENDING_PODS_DRAFT1)(h_, places, &n) !=
        BERTH_STATUS_SUCCESS)
        throw std::logic_error("pending pods cannot be counted here, or not in the places " + std::to_string(places));
    return n;
}

inline std::optional<std::uint64_t> Host::pending_version() const {
    BERTH_USES_DRAFT(BERTH_HOST_PENDING_PODS_DRAFT1);
    if (!pending_pods_) return std::nullopt;
    std::uint64_t version = 0;
    if (function<&berth_host_pending_pods::version>(pending_pods_, BERTH_HOST_PENDING_PODS_DRAFT1)(h_, &version) !=
        BERTH_STATUS_SUCCESS)
        throw std::logic_error("pending pods have no version here");
    return version;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pods that wait in the queue of a test.

#include <berth/draft/pending_pods.h>
#include <berth/testing/cluster.hpp>

#include <string>
#include <utility>
#include <vector>

namespace berth::testing {

/// A pod of the cluster that waits. While the plugin is called about it, a host is trying it, and it is not shown.
struct PendingPod {
    std::string pod;  ///< its `name` or `namespace/name`
    std::uint32_t place = BERTH_PENDING_ACTIVE;
    std::uint32_t attempts = 0;
    std::vector<std::string> plugins{};  ///< those that last rejected it, sorted
    std::int64_t backoff_end_ns = 0;
    std::int64_t queued_time_ns = 0, initial_attempt_ns = 0;
    std::string group{};  ///< name of its PodGroup, if it waits as one of a group
    std::int32_t group_priority = 0;

    bool operator==(const PendingPod &) const = default;
};

constexpr bool are_pending_places(std::uint32_t places) {
    constexpr std::uint32_t all = BERTH_PENDING_ACTIVE | BERTH_PENDING_BACKOFF | BERTH_PENDING_UNSCHEDULABLE |
                                  BERTH_PENDING_GATED | BERTH_PENDING_GROUP;
    return (places & all) != 0;
}

/// A pod with what the queue counts of it.
inline berth_pod queued_pod(const Cluster &cluster, const PendingPod &of) {
    berth_pod out = *cluster.pod(of.pod);
    out.attempts = of.attempts;
    out.queued_time_ns = of.queued_time_ns;
    out.initial_attempt_ns = of.initial_attempt_ns;
    return out;
}
/// The same of that name; as the cluster has it if it is none of these.
inline berth_pod queued_pod(const Cluster &cluster, const std::vector<PendingPod> &pods, std::string_view name) {
    const berth_pod *pod = cluster.pod(name);
    const auto found = std::ranges::find_if(pods, [&](const PendingPod &one) {
        return one.pod == view(pod->name) ||
               one.pod == std::string(view(pod->namespace_)) + "/" + std::string(view(pod->name));
    });
    return found == pods.end() ? *pod : queued_pod(cluster, *found);
}

/// Calls `fn(const berth_pending_pod *)` as a host visits, the active ones first, until it returns false. `tried` is
/// the pod that does not wait, or null.
template <class Fn>
void visit_pending(const Cluster &cluster, const std::vector<PendingPod> &pods, const berth_pod *tried,
                   std::uint32_t places, Fn &&fn) {
    for (std::uint32_t place = BERTH_PENDING_ACTIVE; place <= BERTH_PENDING_GROUP; place <<= 1)
        for (const auto &one : pods) {
            if (one.place != place || (places & place) == 0 || cluster.pod(one.pod) == tried) continue;
            const berth_pod pod = queued_pod(cluster, one);
            std::vector<berth_str> plugins;
            for (const auto &plugin : one.plugins) plugins.push_back(to_str(plugin));
            const berth_pending_pod view{sizeof view,
                                         0,
                                         &pod,
                                         place,
                                         one.group_priority,
                                         plugins.data(),
                                         plugins.size(),
                                         one.backoff_end_ns,
                                         to_str(one.group)};
            if (!fn(&view)) return;
        }
}

}  // namespace berth::testing

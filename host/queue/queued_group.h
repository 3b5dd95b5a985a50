// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod group in the queue, and the pods that wait for their group. As kube-scheduler v1.37.2, framework/types.go and
/// backend/queue/pod_group_member_pods.go.

#include "model/pod_group.h"
#include "queue/queued_pod.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace berth::queue {

/// How a group's cycle ended.
enum class GroupOutcome : std::uint8_t { Placed, Rejected, Failed };

/// What a QueuedPod that stands for a group has beside a pod's.
struct QueuedGroup {
    using Members = std::vector<std::unique_ptr<QueuedPod>>;

    model::PodGroupPtr object;
    Members members;              ///< in the order in which they are tried
    std::set<std::string> tried;  ///< UIDs of the members that the cycle began with

    void add(std::unique_ptr<QueuedPod> pod);
    QueuedPod *find(const model::Pod &pod) const;  ///< of that name; nullptr: it has none
    void erase(const model::Pod &pod);             ///< of that name, if it has one
};

/// Pods by the key of their group.
class GroupMembers {
    std::map<std::string, std::map<std::string, std::unique_ptr<QueuedPod>>, std::less<>> pods_;
    std::size_t size_ = 0;

public:
    void put(std::unique_ptr<QueuedPod> pod);
    QueuedPod *find(const model::Pod &pod) const;
    void erase(const model::Pod &pod);
    /// All of a group, by name; none of them is here any more.
    QueuedGroup::Members take(const std::string &group);
    QueuedGroup::Members take_all();
    std::size_t size() const { return size_; }
    /// Until `fn` answers false. Whether it never did.
    template <class Fn>
    bool visit(Fn &&fn) const {
        for (const auto &[group, pods] : pods_)
            for (const auto &[key, pod] : pods)
                if (!fn(*pod)) return false;
        return true;
    }
    template <class Fn>
    void each(Fn &&fn) const {
        visit([&](const QueuedPod &pod) { return fn(pod), true; });
    }
};

}  // namespace berth::queue

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Some of the unschedulable pods, and how many they are: those that are gated, or those that are not.

#include "queue/queued_pod.h"

namespace berth::queue {

/// Pods are not owned. Each is in at most one list, where its `list_index` is kept. The size of a group does not change
/// while it is in a list.
class PodList {
    std::vector<QueuedPod *> pods_;
    std::size_t size_ = 0;

public:
    /// In no particular order.
    const std::vector<QueuedPod *> &all() const { return pods_; }
    std::size_t size() const { return size_; }  ///< pods, those of groups included
    void clear() {
        pods_.clear();
        size_ = 0;
    }
    void add(QueuedPod &pod) {
        pod.list = this;
        pod.list_index = pods_.size();
        pods_.push_back(&pod);
        size_ += pod.size();
    }
    /// Out of the list that has it.
    static void remove(QueuedPod &pod) {
        PodList &from = *pod.list;
        pod.list = nullptr;
        from.pods_.back()->list_index = pod.list_index;
        from.pods_[pod.list_index] = from.pods_.back();
        from.pods_.pop_back();
        from.size_ -= pod.size();
    }
};

}  // namespace berth::queue

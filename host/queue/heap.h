// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A binary heap of pods, from which each pod can be taken. It stays consistent with any comparison, because a plugin
/// may define it.

#include "queue/queued_pod.h"

#include <functional>
#include <utility>

namespace berth::queue {

/// Pods are not owned. Each is in at most one heap, where its `index` is kept. The size of a group does not change
/// while it is in a heap.
class Heap {
    std::vector<QueuedPod *> pods_;
    std::size_t size_ = 0;
    std::function<bool(const QueuedPod &, const QueuedPod &)> before_;

public:
    explicit Heap(std::function<bool(const QueuedPod &, const QueuedPod &)> before) : before_(std::move(before)) {}

    bool empty() const { return pods_.empty(); }
    std::size_t size() const { return size_; }  ///< pods, those of groups included
    /// The first is the top; the others are in no particular order.
    const std::vector<QueuedPod *> &all() const { return pods_; }
    QueuedPod &top() const { return *pods_.front(); }
    void clear() {
        pods_.clear();
        size_ = 0;
    }

    void push(QueuedPod &pod) {
        pods_.push_back(&pod);
        size_ += pod.size();
        pod.index = pods_.size() - 1;
        up(pod.index);
    }

    void remove(QueuedPod &pod) {
        std::size_t i = pod.index;
        size_ -= pod.size();
        put(i, *pods_.back());
        pods_.pop_back();
        if (i < pods_.size()) fix(i);
    }

    /// After something of the pod changed that the order depends on.
    void fix(QueuedPod &pod) { fix(pod.index); }

private:
    void put(std::size_t i, QueuedPod &pod) {
        pods_[i] = &pod;
        pod.index = i;
    }
    void fix(std::size_t i) {
        up(i);
        down(i);
    }
    void up(std::size_t i) {
        for (; i > 0 && before_(*pods_[i], *pods_[(i - 1) / 2]); i = (i - 1) / 2) swap(i, (i - 1) / 2);
    }
    void down(std::size_t i) {
        for (;;) {
            std::size_t least = i;
            for (std::size_t child : {2 * i + 1, 2 * i + 2})
                if (child < pods_.size() && before_(*pods_[child], *pods_[least])) least = child;
            if (least == i) return;
            swap(i, least);
            i = least;
        }
    }
    void swap(std::size_t i, std::size_t j) {
        QueuedPod &a = *pods_[i], &b = *pods_[j];
        put(i, b);
        put(j, a);
    }
};

}  // namespace berth::queue

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin PrioritySort: the order of pods in the queue by priority.

#include <berth/plugin.hpp>

namespace kubernetes {

/// QueueSort: higher priority first, then the one that has been waiting longer.
class PrioritySort {
public:
    static constexpr const char *description = "Tries pods of higher priority first, then those that wait longer";

    bool less(berth::Pod a, berth::Pod b) const {
        if (a.priority() != b.priority()) return a.priority() > b.priority();
        return a.queued_time_ns() < b.queued_time_ns();
    }

    void sort_key(berth::Pod pod, berth::SortKey &key) const {
        key.descending(pod.priority()).ascending(pod.queued_time_ns());
    }
};

}  // namespace kubernetes

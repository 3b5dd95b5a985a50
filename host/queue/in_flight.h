// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods in their scheduling attempt, and the events that arrive during it (upstream: inFlightPods, inFlightEvents). A
/// pod that is rejected in the end may have missed the very event that helps it. A plugin may let a pod wait for
/// minutes, so no more than `most_events` are kept: a pod that has missed older ones is tried again whatever they were.

#include "queue/event.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <unordered_map>

namespace berth::queue {

class InFlight {
    static constexpr std::size_t most_events = 10'000;

    std::deque<Event> events_;
    std::uint64_t first_ = 0;                               ///< number of events_.front()
    std::unordered_map<std::string, std::uint64_t> since_;  ///< by UID: number of the first event it may have missed
    std::multiset<std::uint64_t> starts_;

public:
    bool any() const { return !since_.empty(); }
    bool contains(std::string_view uid) const { return since_.contains(std::string(uid)); }

    /// False if a pod of that UID is in flight already.
    bool begin(std::string_view uid) {
        if (!since_.emplace(uid, first_ + events_.size()).second) return false;
        starts_.insert(first_ + events_.size());
        return true;
    }
    void record(Event event) {
        events_.push_back(std::move(event));
        if (events_.size() <= most_events) return;
        events_.pop_front();
        ++first_;
    }

    /// Calls fn(event) for each event since the pod began, until it answers false; those that are no longer kept are
    /// one event that moves every pod.
    template <class Fn>
    void replay(std::string_view uid, Fn &&fn) const {
        auto it = since_.find(std::string(uid));
        if (it == since_.end()) return;
        Event forgotten;
        forgotten.resource = resource_any;
        forgotten.action = BERTH_EVENT_ALL;
        if (it->second < first_ && !fn(forgotten)) return;
        for (std::uint64_t i = std::max(it->second, first_) - first_; i < events_.size(); ++i)
            if (!fn(events_[i])) return;
    }

    /// The pod is done; events that no pod in flight may have missed are dropped.
    void end(std::string_view uid) {
        auto it = since_.find(std::string(uid));
        if (it == since_.end()) return;
        starts_.erase(starts_.find(it->second));
        since_.erase(it);
        std::uint64_t needed = starts_.empty() ? first_ + events_.size() : *starts_.begin();
        for (; first_ < needed; ++first_) events_.pop_front();
    }
};

}  // namespace berth::queue

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Watch events that wait while a scheduling attempt is suspended.

#include "plugin/current_call.h"

#include <deque>
#include <functional>
#include <utility>

namespace berth::scheduler {

/// Watch events that arrive while a scheduling attempt is suspended: the attempt's snapshot must not change before it
/// ends. Loop only.
class DeferredEvents {
    std::deque<std::function<void()>> events_;

public:
    void add(std::function<void()> event) { events_.push_back(std::move(event)); }
    /// Handles all of them in their order. None of them is about the pod of the attempt.
    void replay() {
        if (events_.empty()) return;
        const plugin::AboutPod none(nullptr);
        for (auto events = std::exchange(events_, {}); auto &event : events) event();
    }
};

}  // namespace berth::scheduler

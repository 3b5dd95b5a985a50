// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <utility>

namespace berth::scheduler {

/// Watch events that arrive while a scheduling attempt is suspended: the attempt's snapshot must not change before it
/// ends. Loop only.
class DeferredEvents {
    std::deque<std::function<void()>> events_;
    bool suspended_ = false;

public:
    bool suspended() const { return suspended_; }
    void suspend() { suspended_ = true; }
    void resume() { suspended_ = false; }
    /// False: no attempt is suspended, and the caller handles the event itself.
    template <class Fn>
    bool defer(Fn &&event) {
        if (suspended_) events_.emplace_back(std::forward<Fn>(event));
        return suspended_;
    }
    /// Handles all of them in their order.
    void replay() {
        if (events_.empty()) return;
        for (auto events = std::exchange(events_, {}); auto &event : events) event();
    }
};

}  // namespace berth::scheduler

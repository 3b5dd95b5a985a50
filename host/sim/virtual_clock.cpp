// SPDX-License-Identifier: Apache-2.0
#include "sim/virtual_clock.h"

#include <algorithm>
#include <cstdint>

namespace berth::sim {

void VirtualClock::after(std::int64_t ns, std::function<void()> fn) {
    timers_.emplace(now_ns_ + std::clamp<std::int64_t>(ns, 0, INT64_MAX - now_ns_), std::move(fn));
}

void VirtualClock::post(std::function<void()> fn) {
    std::lock_guard lock(mutex_);
    posted_.push_back(std::move(fn));
}

bool VirtualClock::run_posted() {
    bool any = false;
    for (;;) {
        std::function<void()> fn;
        {
            std::lock_guard lock(mutex_);
            if (posted_.empty()) return any;
            fn = std::move(posted_.front());
            posted_.pop_front();
        }
        fn();
        any = true;
    }
}

bool VirtualClock::run_due() {
    if (timers_.empty() || timers_.begin()->first > now_ns_) return false;
    auto timer = timers_.extract(timers_.begin());
    timer.mapped()();
    return true;
}

bool VirtualClock::run() {
    bool any = false;
    while (run_posted() || run_due()) any = true;
    return any;
}

void VirtualClock::advance_to(std::int64_t ns) {
    run();
    while (!timers_.empty() && timers_.begin()->first <= ns) {
        now_ns_ = timers_.begin()->first;
        run();
    }
    now_ns_ = std::max(now_ns_, ns);
}

std::optional<std::int64_t> VirtualClock::next_timer() const {
    if (timers_.empty()) return std::nullopt;
    return timers_.begin()->first;
}

}  // namespace berth::sim

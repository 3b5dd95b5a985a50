// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Access to the present scheduler for objects that outlive it.

#include "scheduler/scheduler.h"

#include <functional>
#include <utility>

namespace berth::api {

/// The one that schedules now: in a live cluster another takes its place when the recording is rotated (rotation.h).
/// Loop only; the pointer is valid for one iteration of the loop.
class SchedulerInForce {
    std::function<Scheduler &()> now_;

public:
    /// Always the same one.
    SchedulerInForce(Scheduler &scheduler) : now_([&scheduler]() -> Scheduler & { return scheduler; }) {}
    explicit SchedulerInForce(std::function<Scheduler &()> now) : now_(std::move(now)) {}

    Scheduler *operator->() const { return &now_(); }
    Scheduler &operator*() const { return now_(); }
};

}  // namespace berth::api

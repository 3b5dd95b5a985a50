// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The handler of a failed attempt: requeue, log and decision (upstream: handleSchedulingFailure).

#include "scheduler/core.h"
#include "scheduler/failure.h"

#include <functional>
#include <memory>

namespace berth::scheduler {

/// What follows a failed attempt, in the scheduling cycle or in the binding cycle (kube-scheduler v1.36.3,
/// schedule_one.go: handleSchedulingFailure). Loop only.
class FailureHandler {
public:
    using OnFailure = std::function<void(const model::Pod &, const model::Decision &)>;

    explicit FailureHandler(Core &core) : core_(core) {}
    /// Called after each failed attempt, with the pod's newest version.
    void on_failure(OnFailure callback) { on_failure_ = std::move(callback); }
    /// Completes and reports the decision. The pod returns to the queue if it still exists.
    void handle(std::unique_ptr<queue::QueuedPod> pod, model::Decision decision, Failure failure);

private:
    void log(const queue::QueuedPod &pod, const model::Decision &decision, bool rejected);

    Core &core_;
    OnFailure on_failure_;
};

}  // namespace berth::scheduler

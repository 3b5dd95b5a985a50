// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduling cycle of one pod at a time (upstream: schedulingCycle).

#include "scheduler/binding_cycles.h"

#include <memory>
#include <string_view>

namespace berth::scheduler {

/// The scheduling cycle: one attempt at a time (kube-scheduler v1.36.3, schedule_one.go: schedulingCycle). Its states:
/// attempt_state.h. Loop only.
class SchedulingCycle {
public:
    SchedulingCycle(Core &core, FailureHandler &failures, BindingCycles &bindings)
        : core_(core), failures_(failures), bindings_(bindings) {}

    /// Tries to place a pod that the queue popped; only when Idle. Returns when the attempt has ended or is suspended.
    void run(std::unique_ptr<queue::QueuedPod> pod);
    /// The PostFilter call that suspends the attempt, and its pod; both nullptr: there is none.
    std::pair<const plugin::PendingCall *, const model::Pod *> pending_call() const;

private:
    using State = AttemptState::State;

    struct Attempt {
        std::unique_ptr<queue::QueuedPod> pod;
        std::unique_ptr<plugin::State> state = std::make_unique<plugin::State>();
        std::unique_ptr<plugin::CallContext> call = std::make_unique<plugin::CallContext>();
        const berth_nodes *nodes = nullptr;
        model::Decision decision{};
        Failure failure{};
        std::uint64_t start = 0;  ///< where the search began its visit
    };

    cycle::Search search() const;
    void ask_shadow(const cycle::ScheduleResult &result);
    void searched(const cycle::ScheduleResult &result);
    void post_filter();
    void post_filtered(cycle::PostFilterResult result);
    void reserve(std::uint32_t slot);
    void fail();
    void release_snapshot();
    void finish();

    Core &core_;
    FailureHandler &failures_;
    BindingCycles &bindings_;
    std::unique_ptr<Attempt> attempt_;  ///< nullptr exactly when Idle
};

}  // namespace berth::scheduler

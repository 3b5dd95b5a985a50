// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/binding_cycles.h"

#include <memory>
#include <string_view>

namespace berth::scheduler {

/// The scheduling cycle: one attempt at a time, from the popped pod to its binding cycle or its failure (kube-scheduler
/// v1.36.3, schedule_one.go: schedulingCycle).
///
///                ┌────────────────── a node is chosen ─────────────────┐
///                │                                                     ▼
///     Idle ──► Searching ──► AwaitingExtenders ── a node is chosen ─► Reserving ──► Idle (the binding cycle runs)
///                │  │              │   │                               │
///                │  └─ no node fits│───┤                               │ rejected
///                │                 │   ▼                               │
///                │                 │ PostFiltering                     │
///                │                 ▼   ▼                               │
///                └────────────► Failing ◄──────────────────────────────┘
///                                  │
///                                  ▼
///                                Idle
///
/// In AwaitingExtenders and PostFiltering the attempt is suspended: the loop runs, the snapshot must not change, and
/// watch events are deferred until the attempt has ended. Loop only.
class SchedulingCycle {
public:
    enum class State : std::uint8_t { Idle, Searching, AwaitingExtenders, PostFiltering, Reserving, Failing };
    /// The arrows of the diagram.
    static constexpr bool may_follow(State from, State to);

    SchedulingCycle(Core &core, FailureHandler &failures, BindingCycles &bindings)
        : core_(core), failures_(failures), bindings_(bindings) {}

    State state() const { return state_; }
    bool suspended() const { return core_.deferred.suspended(); }
    /// Tries to place a pod that the queue popped; only when Idle. Returns when the attempt has ended or is suspended.
    void run(std::unique_ptr<queue::QueuedPod> pod);
    /// The PostFilter call that suspends the attempt, and its pod; both nullptr: there is none.
    std::pair<const plugin::PendingCall *, const model::Pod *> pending_call() const;

private:
    struct Attempt {
        std::unique_ptr<queue::QueuedPod> pod;
        std::unique_ptr<plugin::State> state = std::make_unique<plugin::State>();
        std::unique_ptr<plugin::CallContext> call = std::make_unique<plugin::CallContext>();
        const berth_nodes *nodes = nullptr;
        model::Decision decision{};
        Failure failure{};
        std::uint64_t start = 0;  ///< where the search began its visit
    };

    void enter(State next);
    cycle::Search search() const;
    void ask_shadow(const cycle::ScheduleResult &result);
    void searched(const cycle::ScheduleResult &result);
    void post_filter();
    void post_filtered(cycle::PostFilterResult result);
    void reserve(std::uint32_t slot);
    bind::Placement placement(std::uint32_t slot);
    void fail();
    void handle_failure();
    void release_snapshot();
    void finish();

    Core &core_;
    FailureHandler &failures_;
    BindingCycles &bindings_;
    State state_ = State::Idle;
    std::unique_ptr<Attempt> attempt_;  ///< nullptr exactly when Idle
};

constexpr bool SchedulingCycle::may_follow(State from, State to) {
    using enum State;
    switch (from) {
        case Idle: return to == Searching;
        case Searching: return to == AwaitingExtenders || to == PostFiltering || to == Reserving || to == Failing;
        case AwaitingExtenders: return to == PostFiltering || to == Reserving || to == Failing;
        case PostFiltering: return to == Failing;
        case Reserving: return to == Failing || to == Idle;
        case Failing: return to == Idle;
    }
    return false;
}

}  // namespace berth::scheduler

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The states of a scheduling attempt, and its suspension while extenders or PostFilter take time.

#include <cassert>
#include <cstdint>

namespace berth::scheduler {

/// The state of the scheduling cycle (scheduling_cycle.h): one attempt at a time, from the popped pod to its binding
/// cycle or its failure.
///
///          AwaitingExtenders
///                 │  ▲
///                 ▼  │
///     Idle ──► Searching ── a node is chosen ──► Reserving ──► Idle (the binding cycle runs)
///                 │  │                               │
///    no node fits │  └──────────┐                    │ rejected
///                 ▼             ▼                    │
///           PostFiltering ──► Failing ◄──────────────┘
///                               │
///                               ▼
///                             Idle
///
/// In AwaitingExtenders and PostFiltering the attempt is suspended: the loop runs, the snapshot must not change, and
/// watch events are deferred until the attempt has ended. Loop only.
class AttemptState {
public:
    enum class State : std::uint8_t { Idle, Searching, AwaitingExtenders, PostFiltering, Reserving, Failing };

    /// The arrows of the diagram.
    static constexpr bool may_follow(State from, State to) {
        using enum State;
        switch (from) {
            case Idle: return to == Searching;
            case Searching: return to != Idle && to != Searching;
            case AwaitingExtenders: return to == Searching;
            case PostFiltering: return to == Failing;
            case Reserving: return to == Failing || to == Idle;
            case Failing: return to == Idle;
        }
        return false;
    }

    void enter(State next) {
        assert(may_follow(state_, next));
        state_ = next;
    }
    bool is(State state) const { return state_ == state; }
    bool suspended() const { return is(State::AwaitingExtenders) || is(State::PostFiltering); }

private:
    State state_ = State::Idle;
};

}  // namespace berth::scheduler

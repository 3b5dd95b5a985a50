// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The binding cycle of one pod, from Reserve to PostBind (upstream: bindingCycle). It occupies no thread: it continues
/// on the loop when an answer arrives.
///
///     Reserving ──► WaitingOnPermit ──► PreBinding ──► Binding ──► Bound
///         │                │                │             │
///         └────────────────┴───────┬────────┴─────────────┘
///                                  ▼
///                                Failed

#include "bind/waiting_pods.h"
#include "env/extender.h"
#include "env/log.h"
#include "plugin/called_point.h"
#include "plugin/pending_call.h"

#include <deque>
#include <memory>
#include <optional>
#include <span>

namespace berth::bind {

class BindingCycle;

/// Owns binding cycles and learns how they proceed; it may destroy one that ended. On the loop.
class Listener {
public:
    virtual ~Listener() = default;
    /// No Permit plugin can stop the pod any more.
    virtual void permitted(BindingCycle &cycle) = 0;
    /// The cycle takes a while: the pod waits in Permit, or a PreBind plugin has work to do.
    virtual void delayed(BindingCycle &cycle) = 0;
    /// PostBind comes after it.
    virtual void bound(BindingCycle &cycle) = 0;
    /// `phase`: Permit, PreBindPreFlight, PreBind or Bind. The pod is still assumed and reserved.
    virtual void failed(BindingCycle &cycle, std::string_view phase, model::Status status) = 0;
};

class BindingCycle : public std::enable_shared_from_this<BindingCycle> {
public:
    using Extenders = std::span<const std::unique_ptr<env::Extender>>;

    enum class State : std::uint8_t { Reserving, WaitingOnPermit, PreBinding, Binding, Bound, Failed };
    /// The arrows of the diagram: a state leads to the next one or to Failed. Bound and Failed are final.
    static constexpr bool may_follow(State from, State to) {
        if (to == State::Failed) return from < State::Bound;
        return from < State::Bound && static_cast<int>(to) == static_cast<int>(from) + 1;
    }

    /// Assumes the pod. The extenders, `cache`, `waiting`, `clock` and `listener` outlive it; `log` may be null.
    BindingCycle(Placement placement, Extenders extenders, cluster::Cache &cache, WaitingPods &waiting,
                 env::Clock &clock, env::Log *log, Listener &listener);
    ~BindingCycle();
    BindingCycle(const BindingCycle &) = delete;
    BindingCycle &operator=(const BindingCycle &) = delete;

    const Placement &placement() const { return placement_; }

    /// The serial part: Reserve, then Permit. Success, a rejection, or a failure as a complete text; `phase` is the
    /// extension point that it came from. To be left out if the profile has no such plugin.
    model::Status reserve(const berth_nodes &nodes, std::string_view &phase);
    bool must_wait() const { return !waits_.empty(); }
    /// Calls `fn` for each call that a plugin has not ended.
    template <class Fn>
    void each_pending_call(Fn &&fn) const {
        for (const auto &call : calls_)
            if (call->pending()) fn(*call);
    }

    /// The asynchronous part; to be called once, after a successful reserve(), when the snapshot may change.
    void start();

    /// The pod is preempted: its PreBind plugins see the cancellation in their call, and the cycle fails with `reason`
    /// as an error after they ended. False unless the cycle is in PreBinding.
    bool cancel(std::string_view reason);

    /// Undoes Reserve and assume, unless the pod was bound.
    void undo() { reservation_.reset(); }

private:
    /// A PreBind plugin that has work to do.
    struct Step {
        const plugin::Instance *instance;
        bool parallel;
    };

    void enter(State next);
    bool preflight();
    void settle_permit(model::Status status);
    void pre_bind();
    void bind();
    bool bind_by_extender();
    void finish();
    void fail(std::string_view phase, model::Status status);
    void begin_step(plugin::CalledPoint step);
    void end_step(std::int32_t code);
    void take_pre_bind(const plugin::Instance &instance, model::Status status);
    bool take_bind(const plugin::Instance &instance, model::Status status);
    /// Calls `fn(status, done)`. Its status, or nothing while the call is pending.
    template <class Fn>
    std::optional<model::Status> call(const plugin::Instance &instance, plugin::CalledPoint point, Fn &&fn);
    void completed(plugin::PendingCall &call);

    State state_ = State::Reserving;
    Placement placement_;
    Extenders extenders_;
    WaitingPods &waiting_;
    env::Clock &clock_;
    env::Log *log_;
    Listener &listener_;
    std::unique_ptr<Reservation> reservation_;
    std::vector<PermitAnswer::Wait> waits_;
    std::vector<Step> steps_;
    std::size_t next_step_ = 0;                      ///< the first that was not started
    std::size_t next_extender_ = 0, next_bind_ = 0;  ///< the first that was not called
    std::size_t outstanding_ = 0;                    ///< pending calls
    model::Status first_failure_;
    std::optional<plugin::CalledPoint> step_;                 ///< the one that the meter times
    std::optional<std::string> cancelled_;                    ///< why
    std::deque<std::unique_ptr<plugin::PendingCall>> calls_;  ///< a deque: callbacks hold references to its elements
};

}  // namespace berth::bind

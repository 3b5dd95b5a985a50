// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The binding of one pod, from Permit's wait to PostBind (upstream: bindingCycle). It holds no thread: it is started
/// on the loop, and goes on whenever an answer arrives.

#include "bind/waiting.h"
#include "env/extender.h"
#include "env/log.h"
#include "plugin/late_answer.h"

#include <deque>
#include <memory>
#include <span>

namespace berth::bind {

class Binding;

/// Told how bindings go, on the loop. It owns them, and may let go of one that ended.
class Listener {
public:
    virtual ~Listener() = default;
    /// Nobody can hold the pod in Permit any more.
    virtual void permitted(Binding &binding) = 0;
    /// It will take a while: the pod waits in Permit, or a PreBind plugin has something to do.
    virtual void delayed(Binding &binding) = 0;
    /// PostBind comes after it.
    virtual void bound(Binding &binding) = 0;
    /// `phase`: Permit, PreBindPreFlight, PreBind or Bind. Nothing is undone yet: the reservation is the binding's.
    virtual void failed(Binding &binding, std::string_view phase, model::Status status) = 0;
};

class Binding : public std::enable_shared_from_this<Binding> {
public:
    using Extenders = std::span<const std::unique_ptr<env::Extender>>;

    /// Assumes the pod. The extenders, `cache`, `waiting`, `clock` and `listener` outlive it; `log` may be null.
    Binding(Placement placement, Extenders extenders, cluster::Cache &cache, Waiting &waiting, env::Clock &clock,
            env::Log *log, Listener &listener);
    ~Binding();
    Binding(const Binding &) = delete;
    Binding &operator=(const Binding &) = delete;

    const Placement &placement() const { return placement_; }

    /// The serial part: Reserve, then Permit. Success, a rejection, or a failure as a complete text; `phase` says which
    /// point it came from.
    model::Status reserve(const berth_nodes &nodes, std::string_view &phase);
    bool must_wait() const { return !waits_.empty(); }
    /// Calls `fn` for each call that a plugin has still to end.
    template <class Fn>
    void each_awaited(Fn &&fn) const {
        for (const auto &answer : answers_)
            if (answer->awaited()) fn(*answer);
    }

    /// The rest; call it once, after reserve() succeeded and the snapshot is no longer looked at.
    void start();

    /// The pod has to give way: tells its PreBind plugins by their call, and ends the binding with `reason` as an error
    /// once they have answered. False if it is not in PreBind.
    bool cancel(std::string_view reason);

    /// Undoes Reserve and assume, unless the pod was bound.
    void undo() { reservation_.reset(); }

private:
    struct Step {
        const plugin::Instance *instance;
        bool parallel;
    };

    bool preflight();
    void settled(model::Status status);
    void pre_bind();
    void bind();
    bool ask_extender();
    void finish();
    void end(std::string_view phase, model::Status status);
    void began(std::string_view step);
    void over(std::int32_t code);
    void take_pre_bind(const plugin::Instance &instance, model::Status status);
    bool take_bind(const plugin::Instance &instance, model::Status status);
    /// Calls `fn(status, done)`. Its answer, or nothing if it comes later.
    template <class Fn>
    std::optional<model::Status> call(const plugin::Instance &instance, std::string_view point, Fn &&fn);
    void answered(plugin::LateAnswer &answer);

    Placement placement_;
    Extenders extenders_;
    Waiting &waiting_;
    env::Clock &clock_;
    env::Log *log_;
    Listener &listener_;
    std::unique_ptr<Reservation> reservation_;
    std::vector<PermitAnswer::Wait> waits_;
    std::vector<Step> steps_;                        ///< PreBind plugins with something to do
    std::size_t next_step_ = 0;                      ///< the first that was not started
    std::size_t next_extender_ = 0, next_bind_ = 0;  ///< the first that was not asked to bind
    std::size_t outstanding_ = 0;                    ///< answers to come
    model::Status first_failure_;
    bool in_pre_bind_ = false;
    std::string_view step_;                                    ///< that is under way, for the meter
    std::optional<std::string> cancelled_;                     ///< why
    std::deque<std::unique_ptr<plugin::LateAnswer>> answers_;  ///< a deque, because places are remembered
};

}  // namespace berth::bind

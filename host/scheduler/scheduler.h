// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduler: it takes each pod from the queue through scheduling cycle and binding cycle. Those are
/// scheduling_cycle.h and binding_cycles.h. It has no thread and never blocks; live and simulated clusters run the same
/// code. Every pod of its watch events has a UID.
///
///     Scheduler scheduler(clock, log, sink, settings);
///     plugin::Services services = …;            // clock, log, …
///     scheduler.offer(services);
///     scheduler.use(build_profiles(…));
///     // then, on the loop, watch events arrive, and
///     while (scheduler.schedule_one()) …;
///     // and again after each event, completion or timer, and at next_wake().

#include "model/scheduling_state.h"
#include "scheduler/group_cycle.h"
#include "scheduler/pending_pods.h"
#include "scheduler/pod_activator.h"
#include "scheduler/pod_dry_runs.h"
#include "scheduler/scheduling_cycle.h"

namespace berth {

struct SchedulerSettings {
    std::uint64_t seed = 0;
    queue::Settings queue;
    /// The counts of a scheduler whose work this one continues: scheduling cycles, and what its sink received.
    std::uint64_t cycles = 0, decisions = 0;
    plugin::Meter *meter = nullptr;  ///< counts what the scheduler does; outlives it
    record::Ids *ids = nullptr;      ///< numbers what the scheduler asks for, if it is recorded or replayed
};

class Scheduler {
public:
    using OnEnd = std::function<void(const model::Pod &, const model::Decision &)>;
    using Extenders = std::vector<std::unique_ptr<env::Extender>>;

    /// All outlive it; `log` may be null.
    Scheduler(env::Clock &clock, env::Log *log, DecisionSink &sink, SchedulerSettings settings);
    ~Scheduler();

    /// Adds the services that the scheduler provides to plugins; needed to build the profiles.
    void offer(plugin::Services &services);
    plugin::WaitingPods &waiting_pods() { return core_.waiting; }
    plugin::CallEnvironment &calls() { return core_.calls; }

    /// The profiles to schedule by, and the extenders in the order in which they are called; before anything else. Not
    /// empty. Called again, it replaces them from the next cycle on: waiting pods begin anew with the new profiles, and
    /// a pod in its binding cycle finishes with those that chose its node, which live until then. Not from within a
    /// plugin's call.
    void use(std::vector<plugin::Profile> profiles, Extenders extenders = {});
    void use(std::vector<plugin::Profile> profiles, Extenders extenders, queue::Settings settings);
    /// Profiles that evaluate each pod too, without consequences: on the same snapshot, with the same random numbers
    /// (shadow.h). They were built with Services::shadow. From the next cycle on they replace those before; an empty
    /// list evaluates nothing. Not from within a plugin's call.
    void use_shadow(std::vector<plugin::Profile> profiles, const ShadowSettings &settings);
    /// Stops the shadow until the next use_shadow().
    void pause_shadow();
    /// nullptr: there never was one.
    const Shadow *shadow() const { return core_.shadow ? &*core_.shadow : nullptr; }
    /// Called when replaced profiles have ended.
    void on_retired(std::function<void()> callback) { swap_.on_retired(std::move(callback)); }
    /// The kinds that all profiles watch which have not ended.
    std::vector<plugin::Watched> watched_kinds() const { return core_.profiles.watched_kinds(); }
    /// Removes the objects of a kind that no profile watches any more.
    void forget(const model::Kind &kind) { core_.objects.forget(kind); }
    /// Called after an attempt failed, with the pod's newest version.
    void on_failure(OnEnd callback) { failures_.on_failure(std::move(callback)); }
    /// Called when the cycle of a pod group ended, with what its status is to say now; not if it says so already.
    void on_group(scheduler::GroupCycle::OnCondition callback) { groups_.on_condition(std::move(callback)); }
    /// Called when a pod was bound, with the assumed pod.
    void on_bound(OnEnd callback) { bindings_.on_bound(std::move(callback)); }
    /// Called when a binding cycle takes a while, with the assumed pod: time to write status.nominatedNodeName.
    void on_delayed(std::function<void(const model::Pod &)> callback) { bindings_.on_delayed(std::move(callback)); }

    /// Takes watch events.
    env::Observer &observer() { return handlers_; }

    /// Runs the scheduling cycle of the next pod or pod group. False if no pod is ready, and while an attempt is
    /// suspended by an extender or a PostFilter plugin.
    bool schedule_one();
    /// The calls that plugins have not ended (BERTH_STATUS_IN_PROGRESS) for at least that long: a sentence for each
    /// plugin and extension point but the one named, about the pod that has waited longest.
    std::vector<std::string> pending_calls(std::int64_t least_ns = 0, std::string_view but = {}) const;

    /// Whether no attempt is suspended. Only then may find_pod(), scheduling_state() and dry_runs() be called.
    bool between_cycles() const { return !core_.attempt_state.suspended(); }
    /// The pod of that name, of whatever scheduler; nullptr: unknown.
    model::PodPtr find_pod(std::string_view name_space, std::string_view name);
    /// The pod's scheduling state, and the events that would requeue it.
    model::SchedulingState scheduling_state(const model::PodPtr &pod) const;
    scheduler::PodDryRuns &dry_runs() { return dry_runs_; }
    /// The schedulerNames of the profiles.
    std::vector<std::string> profile_names() const;

    /// When a pod may become ready; nullopt: only after an event or a completion.
    std::optional<std::int64_t> next_wake() const {
        return core_.attempt_state.suspended() ? std::nullopt : core_.queue->next_wake();
    }
    /// The same without the retry of pods that waited five minutes for an event.
    std::optional<std::int64_t> next_ready() const {
        return core_.attempt_state.suspended() ? std::nullopt : core_.queue->next_ready();
    }

    /// Whether nothing is under way: no suspended attempt, no binding cycle, no assumed pod that the watch has not
    /// confirmed, and no profiles that wait to be swapped in.
    bool quiescent() const {
        return !core_.attempt_state.suspended() && !core_.profiles.has_next() && bindings_.size() == 0 &&
               core_.cache.assumed_count() == 0;
    }
    /// The end begins, and nothing else is called: makes the background work of the plugins end. Whether none runs, so
    /// that the destructor would not wait.
    bool wind_down() { return core_.profiles.wind_down(); }
    /// The settings with which another scheduler continues this one's work; ids are given to it anew.
    SchedulerSettings settings() const {
        return {core_.seed, core_.queue->settings(), core_.cycles, core_.notifier.seq(), core_.calls.meter(), nullptr};
    }

    const queue::Queue &queue() const { return *core_.queue; }
    const cluster::Nominations &nominations() const { return core_.nominations; }
    cluster::Cache &cache() { return core_.cache; }
    const cluster::Cache &cache() const { return core_.cache; }
    const cluster::Objects &objects() const { return core_.objects; }
    std::size_t binding() const { return bindings_.size(); }  ///< pods in their binding cycle
    /// The heap that the queue and the pods without a node take beside the pods themselves, about.
    std::size_t queue_bytes() const {
        constexpr std::size_t of_map = 120, of_two_maps = 200;
        return core_.queue->bytes() + core_.pending.size() * of_two_maps +
               bindings_.size() * (sizeof(scheduler::BindingCycles::Entry) + of_map);
    }

private:
    scheduler::Core core_;
    scheduler::FailureHandler failures_{core_};
    scheduler::BindingCycles bindings_{core_, failures_};
    scheduler::SchedulingCycle attempts_{core_, failures_, bindings_};
    scheduler::GroupCycle groups_{core_, failures_, bindings_};
    scheduler::PodActivator activator_{core_};
    scheduler::PendingPods pending_pods_{core_};
    scheduler::EventHandlers handlers_{core_, bindings_};
    scheduler::ProfileSwap swap_{core_, handlers_};
    scheduler::PodDryRuns dry_runs_{core_, swap_};
    queue::Settings queue_settings_;
};

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "scheduler/pod_dry_runs.h"

#include "cycle/remedies.h"
#include "record/ids.h"
#include "scheduler/evaluation.h"

namespace berth::scheduler {
namespace {

/// Between cache.begin_attempt() and end_attempt().
class CacheAttempt {
    cluster::Cache &cache_;

public:
    explicit CacheAttempt(cluster::Cache &cache) : cache_(cache) { cache_.begin_attempt(); }
    ~CacheAttempt() { cache_.end_attempt(); }
    CacheAttempt(const CacheAttempt &) = delete;
    CacheAttempt &operator=(const CacheAttempt &) = delete;
};

/// What an attempt needs, without consequences: no metric, recording or log line, and plugins may not act. As in an
/// attempt, the pod does not wait.
class DryAttempt {
    static constexpr std::uint64_t first_number = std::uint64_t{1} << 63;  ///< apart from the numbers of cycles

    Core &core_;
    const plugin::CallEnvironment::DryRun no_effects_;
    record::Ids::Asker asker_;
    const record::Ids::As not_recorded_;
    const plugin::AboutPod about_;
    const CacheAttempt attempt_;
    const queue::Queue::Hidden hidden_;
    plugin::State state_;
    plugin::CallContext call_;

public:
    const berth_pod view;

    DryAttempt(Core &core, const model::PodPtr &pod, const berth_pod &as_next, std::uint64_t number,
               plugin::Meter *times)
        : core_(core),
          no_effects_(core.calls, times),
          asker_{number, 0, true},
          not_recorded_(core.ids, asker_),
          about_(pod),
          attempt_(core.cache),
          hidden_(*core.queue, *pod),
          view(as_next) {
        call_.reset(first_number | (number + 1), Core::attempt_salt(*pod, view.attempts));
        if (!core.nominations.empty()) core.cache.reserve(core.nominations.size());
    }
    cycle::Search search(const plugin::Profile &profile) {
        return {profile, view, state_, call_, core_.cache.snapshot(), core_.cache, core_.nominations};
    }
};

}  // namespace

/// The pod as plugins would see it in its next attempt.
berth_pod PodDryRuns::view_of_next(const model::Pod &pod) const {
    berth_pod view = pod.view;
    const auto *waiting = core_.queue->waiting(pod);
    if (waiting && waiting->pod->uid() == pod.uid()) {
        view.attempts = waiting->view.attempts;
        view.queued_time_ns = waiting->view.queued_time_ns;
        view.initial_attempt_ns = waiting->view.initial_attempt_ns;
    }
    ++view.attempts;
    if (view.queued_time_ns == 0) view.queued_time_ns = core_.clock.now_ns();
    if (view.initial_attempt_ns == 0) view.initial_attempt_ns = core_.clock.now_ns();
    return view;
}

model::DryRun PodDryRuns::run(const model::PodPtr &pod, plugin::Meter *times) {
    swap_.when_due();
    return run_by(pod, core_.profiles.current().get(), times);
}

model::DryRun PodDryRuns::run_shadow(const model::PodPtr &pod) {
    swap_.when_due();
    return run_by(pod, core_.profiles.shadow().get(), nullptr);
}

model::DryRun PodDryRuns::run_by(const model::PodPtr &pod, const Generation *by, plugin::Meter *times) {
    model::DryRun out;
    const auto *found = by ? by->profile_of(*pod) : nullptr;
    if (!found) {
        out.decision.message = "no profile is called \"" + std::string(pod->scheduler_name()) + "\"";
        return out;
    }
    const plugin::Profile &profile = *found;
    DryAttempt attempt(core_, pod, view_of_next(*pod), runs_++, times);
    model::Decision &decision = out.decision = core_.decision_of(*pod, profile, attempt.view.attempts);
    decision.nominated_node = core_.nominations.node_of(pod->uid());
    cycle::Cycle cycle(core_.seed, core_.clock);
    cycle.start_at(core_.cycle.next_start());
    const bool unfit = evaluate(core_.calls, cycle, attempt.search(profile), true, decision);
    decision.decided_ns = core_.clock.monotonic_ns();
    if (decision.phase == "PreEnqueue") return out;
    for (const auto &extender : core_.profiles.current()->extenders)
        out.not_called.push_back("extender " + extender->traits().url);
    if (!unfit) return out;
    for (const auto *instance : profile.post_filter) out.not_called.push_back("PostFilter of " + instance->name);
    return out;
}

std::vector<model::Remedy> PodDryRuns::remedies(const model::PodPtr &pod, const model::Decision &decision) {
    constexpr std::size_t most = 3;
    const auto *profile = core_.profiles.current()->profile_of(*pod);
    if (!profile || decision.result != model::AttemptResult::Unschedulable || decision.phase != "Filter") return {};
    DryAttempt attempt(core_, pod, view_of_next(*pod), runs_++, nullptr);
    return cycle::find_remedies(attempt.search(*profile), decision.nodes, most);
}

}  // namespace berth::scheduler

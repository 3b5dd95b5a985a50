// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.h"

#include "plugin/meter.h"
#include "plugin/metrics.h"
#include "plugin/usual_resources.h"

#include <algorithm>
#include <utility>

namespace berth {

Scheduler::Scheduler(env::Clock &clock, env::Log *log, DecisionSink &sink, SchedulerSettings settings)
    : core_{clock,           log,          {sink, clock, settings.decisions},      settings.seed,
            settings.cycles, settings.ids, plugin::CallEnvironment(settings.meter)},
      queue_settings_(settings.queue) {}

Scheduler::~Scheduler() {
    // A pending PostFilter call may have left a dry run open; its state must end before its plugin.
    (void)core_.cycle.post_filters().dry_runs().end();
    core_.profiles.end_waits();
    core_.cycle.post_filters().abandon();
}

void Scheduler::offer(plugin::Services &services) {
    services.columns = &core_.cache;
    services.changes = &core_.cache;
    services.objects = &core_.objects;
    services.waiting_pods = &core_.waiting;
    services.dry_runner = &core_.cycle.post_filters().dry_runs();
    services.extenders = &core_.cycle;
    services.nominator = &core_.nominations;
    services.activator = &activator_;
    services.pre_bind_pods = &bindings_;
    services.calls = &core_.calls;
}

bool Scheduler::schedule_one() {
    if (core_.attempt_state.suspended()) return false;
    swap_when_due();
    auto pod = core_.queue->pop();
    if (!pod) return false;
    if (pod->pod->terminating() || core_.cache.is_assumed(pod->pod->uid())) {
        if (core_.log && pod->pod->terminating())
            core_.log->write(env::Severity::Info, 3, "Skip schedule deleting pod", {{"pod", pod->pod->key()}});
        core_.queue->done(pod->pod->uid());
        return true;
    }
    attempts_.run(std::move(pod));
    return true;
}

void Scheduler::use(std::vector<plugin::Profile> profiles, Extenders extenders) {
    use(std::move(profiles), std::move(extenders), queue_settings_);
}

void Scheduler::use(std::vector<plugin::Profile> profiles, Extenders extenders, queue::Settings settings) {
    auto generation = std::make_shared<scheduler::Generation>();
    *generation = {std::move(profiles), std::move(extenders), settings};
    // Extenders cannot say which events may help a pod that they rejected, so each of these does.
    for (auto &profile : generation->profiles) {
        if (generation->extenders.empty()) break;
        auto &instance = *profile.instances.emplace_back(std::make_unique<plugin::Instance>());
        instance.name = "Extender";
        for (const char *resource : plugin::usual_resources)
            instance.interests.push_back({resource, BERTH_EVENT_ALL, false});
    }
    core_.profiles.replace(std::move(generation));
    if (!core_.profiles.current()) swap();
}

void Scheduler::use_shadow(std::vector<plugin::Profile> profiles, const ShadowSettings &settings) {
    auto generation = std::make_shared<scheduler::Generation>();
    *generation = {std::move(profiles), {}, {}};
    core_.profiles.replace_shadow(std::move(generation));
    next_shadow_settings_ = settings;
    if (!core_.attempt_state.suspended()) swap_shadow();
}

void Scheduler::pause_shadow() {
    if (core_.shadow) core_.shadow->pause();
}

/// Between two scheduling cycles.
void Scheduler::swap_when_due() {
    if (core_.profiles.has_next()) swap();
    if (core_.profiles.has_next_shadow()) swap_shadow();
    if (core_.profiles.end_unused() && on_retired_) on_retired_();
}

/// Between two scheduling cycles: the snapshot may change, and every pod waits, is in its binding cycle, or bound.
void Scheduler::swap() {
    const auto before = core_.profiles.swap();
    const auto &now = *core_.profiles.current();
    for (const auto &profile : now.profiles) plugin::put_metrics_in_force(profile);
    core_.cycle.use(now.extenders, core_.log);
    if (auto *meter = core_.calls.meter()) meter->use(now.profiles);
    if (!before) {
        core_.queue.emplace(now.profiles, core_.node_tables, core_.clock, core_.log, now.settings);
        core_.queue->on_gated([this](const queue::QueuedPod &pod, const model::Status &status) { gated(pod, status); });
        return;
    }
    core_.objects.introduce();
    core_.queue->use(now.profiles, now.settings);
    std::vector<model::PodPtr> newcomers;
    for (const auto &[key, pod] : core_.pending) {
        const bool served = before->serves(*pod), serves = now.serves(*pod);
        if (served && !serves) core_.nominations.remove(pod->uid());
        // An assumed pod comes by itself if its binding cycle fails.
        if (!served && serves && !core_.cache.is_assumed(pod->uid())) newcomers.push_back(pod);
    }
    std::ranges::sort(newcomers, {}, [](const model::PodPtr &pod) { return pod->key(); });
    for (const auto &pod : newcomers) enqueue(pod);
}

void Scheduler::swap_shadow() {
    core_.profiles.swap_shadow();
    if (!core_.shadow) core_.shadow.emplace(core_.seed, core_.clock, core_.calls);
    core_.shadow->use(core_.profiles.shadow()->profiles, next_shadow_settings_);
    core_.objects.introduce();
}

void Scheduler::enqueue(const model::PodPtr &pod) {
    gated_.clear();
    core_.queue->add(pod);
    if (gated_ != pod->uid() || core_.queue->settings().rules.gated_nomination_counts) core_.nominations.set(pod);
}

void Scheduler::gated(const queue::QueuedPod &pod, const model::Status &status) {
    model::Decision decision = core_.decision_of(pod);
    decision.result = model::AttemptResult::Gated;
    decision.phase = "PreEnqueue";
    decision.message = status.message();
    decision.rejected_by = {status.plugin};
    gated_ = pod.pod->uid();
    core_.notifier.decision(decision);
}

std::vector<std::string> Scheduler::profile_names() const {
    std::vector<std::string> out;
    for (const auto &profile : core_.profiles.newest().profiles) out.push_back(profile.scheduler_name);
    return out;
}

}  // namespace berth

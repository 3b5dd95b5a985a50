// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.h"

#include "plugin/usual_resources.h"

#include <utility>

namespace berth {

Scheduler::Scheduler(env::Clock &clock, env::Log *log, DecisionSink &sink, SchedulerSettings settings)
    : core_{clock,           log,          {sink, clock, settings.decisions},      settings.seed,
            settings.cycles, settings.ids, plugin::CallEnvironment(settings.meter)},
      queue_settings_(settings.queue) {}

Scheduler::~Scheduler() {
    // A pending PostFilter call may have left a dry run open; its state must end before its plugin.
    (void)core_.cycle.post_filters().dry_runs().end();
    groups_.abandon();
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
    services.pod_groups = &core_.cache.groups();
    services.pending_pods = &pending_pods_;
    services.calls = &core_.calls;
}

bool Scheduler::schedule_one() {
    if (core_.attempt_state.suspended()) return false;
    swap_.when_due();
    auto pod = core_.queue->pop();
    if (!pod) return false;
    if (pod->group) {
        groups_.run(std::move(pod));
        return true;
    }
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
        profile.extender_rejector = &instance;
        instance.name = "Extender";
        for (const char *resource : plugin::usual_resources)
            instance.interests.push_back({resource, BERTH_EVENT_ALL, false});
    }
    swap_.replace(std::move(generation));
}

void Scheduler::use_shadow(std::vector<plugin::Profile> profiles, const ShadowSettings &settings) {
    auto generation = std::make_shared<scheduler::Generation>();
    *generation = {std::move(profiles), {}, {}};
    swap_.replace_shadow(std::move(generation), settings);
}

void Scheduler::pause_shadow() {
    if (core_.shadow) core_.shadow->pause();
}

std::vector<std::string> Scheduler::profile_names() const {
    std::vector<std::string> out;
    for (const auto &profile : core_.profiles.newest().profiles) out.push_back(profile.scheduler_name);
    return out;
}

}  // namespace berth

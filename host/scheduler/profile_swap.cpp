// SPDX-License-Identifier: Apache-2.0
#include "scheduler/profile_swap.h"

#include "plugin/instance_metrics.h"
#include "plugin/meter.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace berth::scheduler {

void ProfileSwap::replace(GenerationPtr next) {
    core_.profiles.replace(std::move(next));
    if (!core_.profiles.current()) swap();
}

void ProfileSwap::replace_shadow(GenerationPtr next, const ShadowSettings &settings) {
    core_.profiles.replace_shadow(std::move(next));
    next_shadow_settings_ = settings;
    if (!core_.attempt_state.suspended()) swap_shadow();
}

void ProfileSwap::when_due() {
    if (core_.profiles.has_next()) swap();
    if (core_.profiles.has_next_shadow()) swap_shadow();
    if (core_.profiles.end_unused() && on_retired_) on_retired_();
}

/// Between two scheduling cycles: the snapshot may change, and every pod waits, is in its binding cycle, or bound.
void ProfileSwap::swap() {
    const auto before = core_.profiles.swap();
    const auto &now = *core_.profiles.current();
    for (const auto &profile : now.profiles) plugin::put_metrics_in_force(profile);
    core_.cycle.use(now.extenders, core_.log);
    if (auto *meter = core_.calls.meter()) meter->use(now.profiles);
    if (!before) {
        core_.queue.emplace(now.profiles, core_.node_tables, core_.clock, core_.log, now.settings);
        core_.queue->on_gated(
            [this](const queue::QueuedPod &pod, const model::Status &status) { handlers_.gated(pod, status); });
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
    for (const auto &pod : newcomers) handlers_.enqueue(pod);
}

void ProfileSwap::swap_shadow() {
    core_.profiles.swap_shadow();
    if (!core_.shadow) core_.shadow.emplace(core_.seed, core_.clock, core_.calls);
    core_.shadow->use(core_.profiles.shadow()->profiles, next_shadow_settings_);
    core_.objects.introduce();
}

}  // namespace berth::scheduler

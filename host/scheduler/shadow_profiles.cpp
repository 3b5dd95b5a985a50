// SPDX-License-Identifier: Apache-2.0
// How a shadow hears of the attempts.
#include "scheduler/scheduler.h"

#include <algorithm>
#include <utility>

namespace berth {

void Scheduler::use_shadow(std::vector<plugin::Profile> profiles, const ShadowSettings &settings) {
    next_shadow_ = std::make_shared<Generation>(Generation{std::move(profiles), {}, {}});
    next_shadow_settings_ = settings;
    if (!attempt_) swap_shadow();
}

void Scheduler::pause_shadow() {
    if (shadow_) shadow_->pause();
}

/// Between two cycles.
void Scheduler::swap_shadow() {
    if (!shadow_) shadow_.emplace(settings_.seed, clock_);
    const auto before = std::exchange(now_shadow_, std::exchange(next_shadow_, nullptr));
    shadow_->use(now_shadow_->profiles, next_shadow_settings_);
    find_shadow_kinds();
    if (before) old_.push_back(before);
    objects_.introduce();
}

void Scheduler::find_shadow_kinds() {
    shadow_kinds_.clear();
    if (!now_shadow_ || !now_) return;
    const auto real = plugin::watched_kinds(now_->profiles);
    for (auto &watched : plugin::watched_kinds(now_shadow_->profiles))
        if (std::ranges::find(real, watched.kind, &plugin::Watched::kind) == real.end())
            shadow_kinds_.push_back(std::move(watched.kind));
}

void Scheduler::ask_shadow(const Attempt &attempt, const cycle::Outcome &outcome) {
    if (!shadow_) return;
    const queue::QueuedPod &pod = *attempt.pod;
    const bool wanted = sink_.wants_shadow(*pod.pod);
    const auto theirs = shadow_->ask({*pod.pod, pod.view, cycles_, attempt_salt(*pod.pod, pod.view.attempts),
                                      attempt.start, *attempt.nodes, cache_, nominations_, attempt.decision, wanted},
                                     outcome);
    if (wanted && theirs) sink_.shadow_decision(*theirs);
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
// By which profiles pods are scheduled, and how others take their place.
#include "plugin/instance.h"
#include "plugin/meter.h"
#include "plugin/usual_resources.h"
#include "scheduler/scheduler.h"

#include <algorithm>

namespace berth {

const plugin::Profile *Scheduler::Generation::profile_of(const model::Pod &pod) const {
    auto at = std::ranges::find(profiles, pod.scheduler_name(), &plugin::Profile::scheduler_name);
    return at == profiles.end() ? nullptr : &*at;
}

void Scheduler::use(std::vector<plugin::Profile> profiles, Extenders extenders) {
    use(std::move(profiles), std::move(extenders), settings_.queue);
}

void Scheduler::use(std::vector<plugin::Profile> profiles, Extenders extenders, queue::Settings settings) {
    auto generation = std::make_shared<Generation>(Generation{std::move(profiles), std::move(extenders), settings});
    // Extenders cannot say which events concern a pod that they rejected: it is tried again after every change of
    // these.
    for (auto &profile : generation->profiles) {
        if (generation->extenders.empty()) break;
        auto &instance = *profile.instances.emplace_back(std::make_unique<plugin::Instance>());
        instance.name = "Extender";
        for (const char *resource : plugin::usual_resources)
            instance.interests.push_back({resource, BERTH_ALL_ACTIONS, false});
    }
    next_ = std::move(generation);
    if (!now_) swap();
}

/// Between two cycles: nobody looks at the snapshot, and every pod waits, is being bound, or has been.
void Scheduler::swap() {
    const auto before = std::exchange(now_, std::exchange(next_, nullptr));
    cycle_.use(now_->extenders, log_);
    if (auto *meter = plugin::meter()) meter->use(now_->profiles);
    find_shadow_kinds();
    if (!before) {
        queue::NodeTables &tables = *this;
        queue_.emplace(now_->profiles, tables, clock_, log_, now_->settings);
        queue_->on_gated([this](const queue::QueuedPod &pod, const model::Status &status) { gated(pod, status); });
        return;
    }
    old_.push_back(before);
    objects_.introduce();
    queue_->use(now_->profiles, now_->settings);
    std::vector<model::PodPtr> newcomers;
    for (const auto &[key, pod] : pending_) {
        const bool served = before->serves(*pod), serves = responsible(*pod);
        if (served && !serves) nominations_.remove(pod->uid());
        // One that is being bound comes by itself if that fails.
        if (!served && serves && !cache_.is_assumed(pod->uid())) newcomers.push_back(pod);
    }
    std::ranges::sort(newcomers, {}, [](const model::PodPtr &pod) { return pod->key(); });
    for (const auto &pod : newcomers) enqueue(pod);
}

/// Ends what no pod needs any more, once its background work has stopped.
void Scheduler::retire() {
    auto over = [](const std::shared_ptr<Generation> &generation) {
        if (generation.use_count() > 1) return false;
        bool idle = true;
        for (const auto &profile : generation->profiles) idle = plugin::wind_down_tasks(profile) && idle;
        return idle;
    };
    if (std::erase_if(old_, over) > 0 && on_retired_) on_retired_();
}

bool Scheduler::wind_down() {
    auto all = old_;
    all.insert(all.end(), {now_, next_, now_shadow_, next_shadow_});
    bool idle = true;
    for (const auto &generation : all)
        if (generation)
            for (const auto &profile : generation->profiles) idle = plugin::wind_down_tasks(profile) && idle;
    return idle;
}

std::vector<plugin::Watched> Scheduler::watched_kinds() const {
    std::vector<plugin::Watched> out;
    auto all = old_;
    all.insert(all.end(), {now_, next_, now_shadow_, next_shadow_});
    for (const auto &generation : all) {
        if (!generation) continue;
        for (auto &watched : plugin::watched_kinds(generation->profiles))
            if (std::ranges::none_of(out, [&](const auto &one) { return one.kind == watched.kind; }))
                out.push_back(std::move(watched));
    }
    return out;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "scheduler/profile_generations.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {
namespace {

bool wind_down(const Generation &generation) {
    bool idle = true;
    for (const auto &profile : generation.profiles) idle = plugin::wind_down_tasks(profile) && idle;
    return idle;
}

}  // namespace

const plugin::Profile *Generation::profile_of(const model::Pod &pod) const {
    auto at = std::ranges::find(profiles, pod.scheduler_name(), &plugin::Profile::scheduler_name);
    return at == profiles.end() ? nullptr : &*at;
}

template <class Fn>
void ProfileGenerations::each(Fn &&fn) const {
    for (const auto &generation : old_) fn(*generation);
    for (const auto &generation : {current_, next_, shadow_, next_shadow_})
        if (generation) fn(*generation);
}

GenerationPtr ProfileGenerations::swap() {
    auto before = std::exchange(current_, std::exchange(next_, nullptr));
    find_kinds();
    if (before) old_.push_back(before);
    return before;
}

void ProfileGenerations::swap_shadow() {
    auto before = std::exchange(shadow_, std::exchange(next_shadow_, nullptr));
    if (before) old_.push_back(std::move(before));
}

void ProfileGenerations::find_kinds() {
    watched_.clear();
    parts_.clear();
    if (!current_) return;
    std::vector<plugin::Watched> all;
    if (current_->settings.groups) all.push_back({model::pod_group_kind(), {}});
    for (auto &watched : plugin::watched_kinds(current_->profiles)) plugin::add_watched(all, std::move(watched));
    for (auto &[kind, plugins, part] : all) {
        if (!part.is_all()) parts_.add(kind, std::move(part));
        watched_.push_back(std::move(kind));
    }
}

bool ProfileGenerations::watches(const model::Kind &kind) const {
    return std::ranges::find(watched_, kind) != watched_.end();
}

bool ProfileGenerations::end_unused() {
    return std::erase_if(old_, [](const GenerationPtr &generation) {
               return generation.use_count() == 1 && scheduler::wind_down(*generation);
           }) > 0;
}

bool ProfileGenerations::wind_down() {
    bool idle = true;
    each([&](const Generation &generation) { idle = scheduler::wind_down(generation) && idle; });
    return idle;
}

void ProfileGenerations::end_waits() {
    each([](const Generation &generation) {
        for (const auto &profile : generation.profiles) plugin::end_waits(profile);
    });
}

std::vector<plugin::Watched> ProfileGenerations::watched_kinds() const {
    std::vector<plugin::Watched> out;
    const auto groups = [](const GenerationPtr &generation) { return generation && generation->settings.groups; };
    if (groups(current_) || groups(next_)) out.push_back({model::pod_group_kind(), {}});
    each([&](const Generation &generation) {
        for (auto &watched : plugin::watched_kinds(generation.profiles)) plugin::add_watched(out, std::move(watched));
    });
    return out;
}

}  // namespace berth::scheduler

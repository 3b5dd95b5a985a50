// SPDX-License-Identifier: Apache-2.0
// A pod's scheduling state, such as its queue, its rejecting plugins and the events that it waits for.
#include "scheduler/scheduler.h"

#include <algorithm>

namespace berth {
namespace {

using State = model::SchedulingState::State;

void add_wakes(model::SchedulingState &out, const queue::Instances &rejectors) {
    for (const auto *instance : rejectors)
        for (const auto &interest : instance->interests) {
            auto actions = queue::action_names(interest.actions);
            out.wakes.push_back({instance->name, interest.resource, std::move(actions), interest.has_hint});
        }
}

void take_wait(model::SchedulingState &out, const queue::QueuedPod &pod, const queue::Settings &settings) {
    using queue::Place;
    out.attempts = pod.view.attempts;
    out.since_ns = pod.view.queued_time_ns;
    out.first_ns = pod.view.initial_attempt_ns;
    for (const auto *instance : pod.unschedulable) out.rejected_by.push_back(instance->name);
    std::ranges::sort(out.rejected_by);
    if (pod.gated_by) {
        out.state = State::Gated;
        out.gated_by = pod.gated_by->name;
    } else if (pod.place == Place::Group) {
        out.state = State::Gated;
        out.gated_by = "PodGroup " + std::string(pod.pod->group());
    } else if (pod.place == Place::Unschedulable) {
        out.state = State::Unschedulable;
        out.until_ns = pod.view.queued_time_ns + settings.longest_unschedulable_ns;
    } else if (pod.place == Place::Backoff || pod.place == Place::ErrorBackoff) {
        out.state = State::BackingOff;
        out.until_ns = pod.backoff_end_ns;
    } else {
        out.state = State::Active;
    }
    if (pod.place == Place::Unschedulable) add_wakes(out, pod.unschedulable);
}

}  // namespace

model::PodPtr Scheduler::find_pod(std::string_view name_space, std::string_view name) {
    auto key = std::string(name_space).append("/").append(name);
    auto at = core_.pending.find(key);
    // The cache has the assumed copy.
    if (at != core_.pending.end() && !core_.cache.is_assumed(at->second->uid())) return at->second;
    const berth_pods &pods = *core_.cache.snapshot().pods;
    for (std::uint32_t row = 0; row < pods.rows; ++row) {
        if (pods.node_slot[row] == BERTH_NO_SLOT || !pods.obj[row]) continue;
        const auto *object = model::object_of(pods.obj[row]);
        const auto meta = object->meta();
        if (model::view(meta.name) == name && model::view(meta.namespace_) == name_space)
            return std::static_pointer_cast<const model::Pod>(object->shared_from_this());
    }
    return nullptr;
}

model::SchedulingState Scheduler::scheduling_state(const model::PodPtr &pod) const {
    model::SchedulingState out;
    out.pod = {std::string(pod->name_space()), std::string(pod->name()), std::string(pod->uid())};
    out.profile = pod->scheduler_name();
    out.node = pod->node_name();
    out.nominated_node = core_.nominations.node_of(pod->uid());
    out.victims = core_.nominations.victims_of(pod->uid());
    const auto *binding = bindings_.find(pod->uid());
    const auto *waiting = core_.queue->waiting(*pod);
    if (binding) {
        out.state = binding->decision.result == model::AttemptResult::Waiting ? State::Waiting : State::Binding;
        out.node = model::view(binding->cycle->placement().node());
        out.attempts = binding->pod->view.attempts;
    } else if (waiting) {
        take_wait(out, *waiting, core_.queue->settings());
    } else if (!pod->node_name().empty()) {
        out.state = State::Placed;
    } else if (!core_.responsible(*pod)) {
        out.state = State::NotOurs;
    } else {
        out.state = pod->terminating() ? State::Deleted : State::Scheduling;
    }
    return out;
}

}  // namespace berth

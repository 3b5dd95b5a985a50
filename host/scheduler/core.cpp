// SPDX-License-Identifier: Apache-2.0
#include "scheduler/core.h"

#include "plugin/meter.h"

#include <utility>

namespace berth::scheduler {

void Core::begin_attempt(const queue::QueuedPod &pod, plugin::CallContext &call) {
    if (auto *meter = calls.meter()) meter->attempt_began(pod.pod->uid());
    call.reset(++cycles, attempt_salt(*pod.pod, pod.view.attempts));
    if (!nominations.empty()) cache.reserve(nominations.size());
    cache.begin_attempt();
}

bind::Placement Core::placement(const queue::QueuedPod &pod, const berth_nodes &nodes, std::uint32_t slot,
                                std::unique_ptr<plugin::State> state, std::unique_ptr<plugin::CallContext> call) const {
    bind::Placement out;
    out.keeps = profiles.current();
    out.profile = pod.profile;
    out.pod = model::assumed_copy(pod.pod, model::view(nodes.name[slot]));
    out.view = out.pod->view;
    out.view.attempts = pod.view.attempts;
    out.view.queued_time_ns = pod.view.queued_time_ns;
    out.view.initial_attempt_ns = pod.view.initial_attempt_ns;
    out.slot = slot;
    out.state = std::move(state);
    out.call = std::move(call);
    return out;
}

model::Decision Core::decision_of(const model::Pod &pod, const plugin::Profile &profile, std::uint32_t attempt) const {
    model::Decision decision;
    decision.pod = {std::string(pod.name_space()), std::string(pod.name()), std::string(pod.uid())};
    decision.profile = profile.scheduler_name;
    decision.attempt = attempt;
    decision.time_ns = clock.now_ns();
    decision.began_ns = clock.monotonic_ns();
    return decision;
}

model::Decision Core::decision_of(const queue::QueuedPod &pod) const {
    auto decision = decision_of(*pod.pod, *pod.profile, pod.view.attempts);
    decision.cycle = cycles;
    return decision;
}

}  // namespace berth::scheduler

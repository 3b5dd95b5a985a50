// SPDX-License-Identifier: Apache-2.0
#include "scheduler/core.h"

namespace berth::scheduler {

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

// SPDX-License-Identifier: Apache-2.0
#include "scheduler/core.h"

namespace berth::scheduler {

model::Decision Core::decision_of(const queue::QueuedPod &pod) const {
    model::Decision decision;
    decision.pod = {std::string(pod.pod->name_space()), std::string(pod.pod->name()), std::string(pod.pod->uid())};
    decision.profile = pod.profile->scheduler_name;
    decision.attempt = pod.view.attempts;
    decision.cycle = cycles;
    decision.time_ns = clock.now_ns();
    decision.began_ns = clock.monotonic_ns();
    return decision;
}

}  // namespace berth::scheduler

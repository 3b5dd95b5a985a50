// SPDX-License-Identifier: Apache-2.0
#include "api/evaluation.h"

#include "api/dry_run_pod.h"
#include "plugin/stopwatch.h"

namespace berth::api {

void evaluate(Scheduler &scheduler, const model::PodPtr &pod, Times times, report::Explanation &out) {
    plugin::Stopwatch stopwatch;
    out.now = scheduler.dry_runs().run(pod, times == Times::Measured ? &stopwatch : nullptr);
    out.times = stopwatch.times();
    out.remedies = scheduler.dry_runs().remedies(pod, out.now->decision);
    out.now->decision.pod.uid.clear();
}

void add_present(Scheduler &scheduler, const model::PodPtr &pod, Times times, report::Explanation &out) {
    out.scheduling_state = scheduler.scheduling_state(pod);
    out.pod = out.scheduling_state->pod;
    if (out.scheduling_state->state == model::SchedulingState::State::NotOurs) return;
    DryRunPod another;
    if (!out.scheduling_state->node.empty()) another = one_more(*pod);
    out.warnings = another.warnings;
    evaluate(scheduler, another.tree ? another.pod() : pod, times, out);
}

}  // namespace berth::api

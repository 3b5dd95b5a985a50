// SPDX-License-Identifier: Apache-2.0
#include "scheduler/failure_handler.h"

#include "plugin/meter.h"

#include <utility>

namespace berth::scheduler {

void FailureHandler::handle(std::unique_ptr<queue::QueuedPod> pod, model::Decision decision, Failure failure) {
    decision.result = failure.rejected ? model::AttemptResult::Unschedulable : model::AttemptResult::Error;
    decision.phase = failure.phase;
    decision.reason = failure.rejected ? "Unschedulable" : "SchedulerError";
    decision.message = std::move(failure.message);
    decision.rejected_by = failure.rejectors.names();
    log(*pod, decision, failure.rejected);
    if (auto *meter = core_.calls.meter())
        meter->attempt_ended(pod->pod->uid(), pod->profile->scheduler_name,
                             failure.rejected ? "unschedulable" : "error");
    model::PodPtr tried = pod->pod;
    auto current = core_.pending.find(tried->key());
    const bool recreated = current != core_.pending.end() && current->second->uid() != tried->uid();
    const bool requeues = current != core_.pending.end() && !recreated && core_.responsible(*tried);
    if (requeues) {
        tried = current->second;
        // Without a nomination, no victims are evicted for the node that an earlier attempt nominated.
        const bool nominated = failure.nomination && !failure.nomination->empty();
        core_.nominations.set(tried, failure.nomination, nominated ? failure.victims : model::Victims{});
    } else {
        core_.queue->done(tried->uid());
        core_.nominations.remove(tried->uid());
    }
    decision.nomination = std::move(failure.nomination);
    decision.victims = std::move(failure.victims);
    decision.nominated_node = core_.nominations.node_of(tried->uid());
    // Before the queue may gate the pod and report that.
    core_.notifier.decision(decision);
    if (requeues)
        core_.queue->requeue(std::move(pod), tried, std::move(failure.rejectors.unschedulable),
                             std::move(failure.rejectors.pending));
    if (on_failure_ && !recreated) on_failure_(*tried, decision);
}

void FailureHandler::log(const queue::QueuedPod &pod, const model::Decision &decision, bool rejected) {
    if (!rejected && core_.log)
        core_.log->write(env::Severity::Error, 0, "Error scheduling pod; retrying",
                         {{"pod", pod.pod->key()}, {"err", decision.message}});
    if (rejected && core_.logs(2))
        core_.log->write(env::Severity::Info, 2, "Unable to schedule pod; no fit; waiting",
                         {{"pod", pod.pod->key()}, {"err", decision.message}});
}

}  // namespace berth::scheduler

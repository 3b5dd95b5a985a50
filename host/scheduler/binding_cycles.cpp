// SPDX-License-Identifier: Apache-2.0
#include "scheduler/binding_cycles.h"

#include "plugin/meter.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {

/// What `placement` keeps owns the extenders.
std::shared_ptr<bind::BindingCycle> BindingCycles::assume(bind::Placement placement) {
    bind::Listener &listener = *this;
    auto cycle = std::make_shared<bind::BindingCycle>(std::move(placement), core_.profiles.current()->extenders,
                                                      core_.cache, core_.waiting, core_.clock, core_.log, listener);
    const model::Pod &assumed = *cycle->placement().pod;
    core_.nominations.remove(assumed.uid());
    core_.notifier.event("Assumed", assumed);
    return cycle;
}

std::optional<Failure> BindingCycles::begin(bind::Placement placement, std::unique_ptr<queue::QueuedPod> &pod,
                                            model::Decision &decision) {
    const plugin::Profile &profile = *pod->profile;
    auto cycle = assume(std::move(placement));
    std::string_view phase;
    model::Status status;
    // Only Reserve and Permit plugins need an updated snapshot.
    if (!profile.reserve.empty() || !profile.permit.empty()) status = cycle->reserve(core_.cache.snapshot(), phase);
    if (!status.success()) {
        cycle->undo();
        core_.notifier.event("Forgotten", *cycle->placement().pod);
        return failure_on_node(profile, phase, status);
    }
    decision.node = model::view(cycle->placement().node());
    decision.result = cycle->must_wait() ? model::AttemptResult::Waiting : model::AttemptResult::Scheduled;
    if (cycle->must_wait()) decision.phase = "Permit";
    core_.notifier.decision(decision);
    entries_[cycle.get()] = {std::move(pod), cycle, std::move(decision)};
    cycle->start();
    return std::nullopt;
}

const BindingCycles::Entry *BindingCycles::find(std::string_view uid) const {
    auto at = std::ranges::find_if(entries_, [&](const auto &one) { return one.second.assumed().uid() == uid; });
    return at == entries_.end() ? nullptr : &at->second;
}

bool BindingCycles::cancel(std::string_view uid, std::string_view reason) {
    const Entry *entry = find(uid);
    return entry && entry->cycle->cancel(reason);
}

void BindingCycles::permitted(bind::BindingCycle &cycle) { core_.queue->done(cycle.placement().pod->uid()); }

void BindingCycles::delayed(bind::BindingCycle &cycle) {
    if (on_delayed_) on_delayed_(*cycle.placement().pod);
}

void BindingCycles::bound(bind::BindingCycle &cycle) {
    auto entry = std::move(entries_.extract(&cycle).mapped());
    const model::Pod &pod = entry.assumed();
    if (auto *meter = core_.calls.meter()) {
        const berth_pod &view = entry.pod->view;
        meter->attempt_ended(pod.uid(), cycle.placement().profile->scheduler_name, "scheduled");
        meter->bound(view.attempts, core_.clock.now_ns() - view.initial_attempt_ns);
    }
    core_.notifier.event("Bound", pod);
    if (core_.logs(2))
        core_.log->write(env::Severity::Info, 2, "Successfully bound pod to node",
                         {{"pod", pod.key()},
                          {"node", std::string(pod.node_name())},
                          {"evaluatedNodes", std::to_string(entry.decision.evaluated_nodes)},
                          {"feasibleNodes", std::to_string(entry.decision.feasible_nodes)}});
    if (entry.decision.result == model::AttemptResult::Waiting) {
        entry.decision.result = model::AttemptResult::Scheduled;
        entry.decision.time_ns = core_.clock.now_ns();
        entry.decision.phase.clear();
        core_.notifier.decision(entry.decision);
    }
    if (on_bound_) on_bound_(pod, entry.decision);
}

void BindingCycles::failed(bind::BindingCycle &cycle, std::string_view phase, model::Status status) {
    if (core_.defer([this, &cycle, phase, status] { failed(cycle, phase, status); })) return;
    auto entry = std::move(entries_.extract(&cycle).mapped());
    const model::PodPtr assumed = cycle.placement().pod;
    cycle.undo();
    core_.notifier.event("BindFailed", *assumed);
    Failure failure = phase == "Permit" ? failure_on_node(*cycle.placement().profile, phase, status)
                                        : Failure{phase, status.rejected(), status.message()};
    entry.decision.node.clear();
    entry.decision.time_ns = core_.clock.now_ns();
    const queue::Event freed = queue::pod_event(*assumed, BERTH_EVENT_DELETE, assumed, nullptr);
    if (!failure.rejected) {
        core_.queue->move(freed);
        return failures_.handle(std::move(entry.pod), std::move(entry.decision), std::move(failure));
    }
    // That the pod left its node does not help the pod itself.
    failures_.handle(std::move(entry.pod), std::move(entry.decision), std::move(failure));
    core_.queue->move(freed, [&](const queue::QueuedPod &other) { return other.pod->uid() != assumed->uid(); });
}

}  // namespace berth::scheduler

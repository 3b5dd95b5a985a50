// SPDX-License-Identifier: Apache-2.0
#include "scheduler/evaluation.h"

namespace berth::scheduler {
namespace {

/// Whether PreEnqueue lets the pod into the queue; else the decision says why not.
bool pass_gates(const cycle::Search &search, model::Decision &decision) {
    for (const plugin::Instance *gate : search.profile.pre_enqueue) {
        plugin::StatusSlot slot;
        auto status = plugin::guard(*gate, "PreEnqueue", [&] {
            gate->pre_enqueue->pre_enqueue(gate->self, search.call.call(), &search.pod, slot.raw());
        });
        search.call.free_scratch();
        if (status.success()) status = slot.take(*gate, "PreEnqueue");
        if (status.success()) continue;
        decision.result = model::AttemptResult::Gated;
        decision.phase = "PreEnqueue";
        decision.message = status.message();
        decision.rejected_by = {gate->name};
        return false;
    }
    return true;
}

}  // namespace

void take_counts(model::Decision &decision, const cycle::Outcome &outcome) {
    decision.evaluated_nodes = outcome.evaluated;
    decision.feasible_nodes = outcome.feasible;
    decision.start_index = outcome.start_index;
    decision.rejections = outcome.rejections;
}

bool evaluate(cycle::Cycle &cycle, const cycle::Search &search, bool tables, model::Decision &decision) {
    using cycle::Ending;
    if (!pass_gates(search, decision)) return false;
    const auto &outcome = *cycle.run(search, tables ? &decision : nullptr);
    take_counts(decision, outcome);
    if (outcome.ending == Ending::Chosen) {
        decision.result = model::AttemptResult::Scheduled;
        decision.node = model::view(search.nodes.name[outcome.slot]);
        return false;
    }
    const bool rejected = outcome.ending != Ending::Failed;
    decision.result = rejected ? model::AttemptResult::Unschedulable : model::AttemptResult::Error;
    decision.phase = outcome.phase;
    decision.reason = rejected ? "Unschedulable" : "SchedulerError";
    decision.message = outcome.message;
    decision.rejected_by = outcome.rejectors.names();
    return outcome.ending == Ending::Unfit;
}

}  // namespace berth::scheduler

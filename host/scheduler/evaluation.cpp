// SPDX-License-Identifier: Apache-2.0
#include "scheduler/evaluation.h"

namespace berth::scheduler {
namespace {

/// Whether PreEnqueue lets the pod into the queue; else the decision says why not.
bool pass_gates(plugin::CallEnvironment &calls, const cycle::Search &search, model::Decision &decision) {
    const plugin::CallEnvironment::Gates gates(calls);
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

void take_counts(model::Decision &decision, const cycle::ScheduleResult &result) {
    decision.evaluated_nodes = result.evaluated;
    decision.feasible_nodes = result.feasible;
    decision.start_index = result.start_index;
    decision.rejections = result.rejections;
}

bool evaluate(plugin::CallEnvironment &calls, cycle::Cycle &cycle, const cycle::Search &search, bool tables,
              model::Decision &decision) {
    using cycle::Ending;
    if (!pass_gates(calls, search, decision)) return false;
    const auto &result = *cycle.run(search, tables ? &decision : nullptr);
    take_counts(decision, result);
    if (result.ending == Ending::Chosen) {
        decision.result = model::AttemptResult::Scheduled;
        decision.node = model::view(search.nodes.name[result.slot]);
        return false;
    }
    const bool rejected = result.ending != Ending::Failed;
    decision.result = rejected ? model::AttemptResult::Unschedulable : model::AttemptResult::Error;
    decision.phase = result.phase;
    decision.reason = rejected ? "Unschedulable" : "SchedulerError";
    decision.message = result.message;
    decision.rejected_by = result.rejectors.names();
    return result.ending == Ending::Unfit;
}

}  // namespace berth::scheduler

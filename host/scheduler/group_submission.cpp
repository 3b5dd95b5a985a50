// SPDX-License-Identifier: Apache-2.0
// What follows from the result of a group's cycle.
#include "plugin/meter.h"
#include "scheduler/group_cycle.h"

#include <utility>

namespace berth::scheduler {
namespace {

constexpr std::string_view phase = "PlacementFeasible";

}  // namespace

void GroupCycle::submit() {
    Cycle &cycle = *cycle_;
    const auto before = cycle.status;
    const auto outcome = before.success()    ? queue::GroupOutcome::Placed
                         : before.rejected() ? queue::GroupOutcome::Rejected
                                             : queue::GroupOutcome::Failed;
    // As upstream does after the plugins of PodGroupPostFilter, of which there are none: their text is empty.
    if (before.rejected()) cycle.status.reasons.emplace_back();
    core_.attempt_state.enter(outcome == queue::GroupOutcome::Placed ? State::Reserving : State::Failing);
    // Upstream's informers do not wait for a cycle, so the events come before its failure is handled.
    if (outcome != queue::GroupOutcome::Placed) core_.deferred.replay();
    for (auto &member : cycle.members) {
        const bool placed = member.slot != BERTH_NO_SLOT;
        if (placed && before.success()) bind(member);
        else if (!before.success() && !before.rejected())
            fail(member, member.failure && !member.failure->rejected
                             ? Failure{member.failure->phase, false, member.failure->message}
                             : Failure{phase, false, before.message()});
        else if (placed) fail(member, {phase, true, "pod group is unschedulable, " + cycle.status.message()});
        else if (member.failure) fail(member, std::move(*member.failure));
        else fail(member, {phase, true, before.message(), {}, std::nullopt});
    }
    write_condition(cycle.status);
    finish(outcome);
}

/// The pod is assumed again, now to stay, and its binding cycle begins.
void GroupCycle::bind(Member &member) {
    const plugin::AboutPod about(member.pod->pod);
    if (auto failure = bindings_.begin(placement(member), member.pod, member.decision))
        fail(member, *std::move(failure));
}

void GroupCycle::fail(Member &member, Failure failure) {
    const plugin::AboutPod about(member.pod->pod);
    if (member.decision.pod.name.empty()) {
        // It was not tried: an attempt all the same, which took no time.
        if (auto *meter = core_.calls.meter()) meter->attempt_began(member.pod->pod->uid());
        member.decision = core_.decision_of(*member.pod);
    }
    failures_.handle(std::move(member.pod), std::move(member.decision), std::move(failure));
}

/// Before any of its pods was tried.
void GroupCycle::fail_all(const std::string &why) {
    for (auto &member : cycle_->members) fail(member, {phase, false, why});
    cycle_->status = {.code = BERTH_STATUS_ERROR, .error = why, .reasons = {}, .plugin = {}};
    write_condition(cycle_->status);
    finish(queue::GroupOutcome::Failed);
}

/// A group that was placed once stays so, and nothing is written that the status says already.
void GroupCycle::write_condition(const model::Status &status) {
    const model::PodGroup &group = *cycle_->object;
    const auto &before = group.condition;
    if (before && before->holds && !status.success()) return;
    const model::GroupCondition now{status.success(),
                                    status.success()    ? "Scheduled"
                                    : status.rejected() ? "Unschedulable"
                                                        : "SchedulerError",
                                    status.message(), group.generation};
    if (before != now && on_condition_) on_condition_(group, now);
}

void GroupCycle::finish(queue::GroupOutcome outcome) {
    if (core_.logs(2))
        core_.log->write(env::Severity::Info, 2,
                         outcome == queue::GroupOutcome::Placed ? "Successfully scheduled a pod group"
                                                                : "Unable to schedule a pod group",
                         {{"podGroup", cycle_->object->key()}, {"err", cycle_->status.message()}});
    const auto ended = std::exchange(cycle_, nullptr);
    core_.queue->requeue_group(std::move(ended->group), outcome);
    core_.deferred.replay();
    core_.attempt_state.enter(State::Idle);
}

}  // namespace berth::scheduler

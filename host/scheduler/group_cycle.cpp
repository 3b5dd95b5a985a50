// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_cycle.h"

#include "plugin/meter.h"
#include "scheduler/evaluation.h"

#include <utility>

namespace berth::scheduler {
namespace {

constexpr const char *unschedulable = "pod group is unschedulable";

}  // namespace

void GroupCycle::run(std::unique_ptr<queue::QueuedPod> group) {
    core_.attempt_state.enter(State::Searching);
    cycle_ = std::make_unique<Cycle>();
    cycle_->object = group->group->object;
    for (auto &pod : std::exchange(group->group->members, {})) {
        // As upstream, whose nominator looks for a nominated pod in the queue: the others of its group hold no room.
        core_.nominations.bare(pod->pod->uid());
        cycle_->members.push_back({.pod = std::move(pod)});
    }
    cycle_->group = std::move(group);
    cycle_->profile = cycle_->members.front().pod->profile;
    if (auto fault = fault_of_group(); !fault.empty()) {
        core_.attempt_state.enter(State::Failing);
        return fail_all(fault);
    }
    leave_out_gone();
    if (!cycle_->members.empty()) return begin();
    core_.attempt_state.enter(State::Failing);
    finish(queue::GroupOutcome::Placed);
}

void GroupCycle::begin() {
    if (core_.logs(3))
        core_.log->write(env::Severity::Info, 3, "Attempting to schedule pod group",
                         {{"podGroup", cycle_->object->key()}});
    cycle_->keeps_arrays = core_.cache.keep_arrays();
    const auto &first = *cycle_->members.front().pod;
    cycle_->call.reset(core_.cycles + 1, Core::attempt_salt(*first.pod, cycle_->group->view.attempts));
    cycle_->scheduled = core_.cache.groups().scheduled_count(cycle_->object->key());
    cycle_->status = feasible();
    if (cycle_->status.code == BERTH_STATUS_UNSCHEDULABLE) cycle_->status.error = unschedulable;
    const auto code = cycle_->status.code;
    if (code == BERTH_STATUS_UNSCHEDULABLE || code == BERTH_STATUS_ERROR) return end();
    go_on();
}

/// Tries one member after the other, until the result is known or an extender takes its time.
void GroupCycle::go_on() {
    while (cycle_ && core_.attempt_state.is(State::Searching) && cycle_->next < cycle_->members.size())
        search(cycle_->members[cycle_->next]);
    if (cycle_ && core_.attempt_state.is(State::Searching)) end();
}

void GroupCycle::search(Member &member) {
    const auto &pod = *member.pod;
    const plugin::AboutPod about(pod.pod);
    core_.begin_attempt(pod, *member.call);
    member.decision = core_.decision_of(pod);
    const bool tables = core_.notifier.wants_tables(*pod.pod);
    const cycle::Search search{*pod.profile,           pod.view,    *member.state,    *member.call,
                               core_.cache.snapshot(), core_.cache, core_.nominations};
    const auto *result = core_.cycle.run(search, tables ? &member.decision : nullptr,
                                         [this, &member](const cycle::ScheduleResult &late) {
                                             core_.attempt_state.enter(State::Searching);
                                             searched(member, late);
                                             go_on();
                                         });
    if (result) return searched(member, *result);
    core_.attempt_state.enter(State::AwaitingExtenders);
}

void GroupCycle::searched(Member &member, const cycle::ScheduleResult &result) {
    using cycle::Ending;
    const plugin::AboutPod about(member.pod->pod);
    if (auto *meter = core_.calls.meter()) meter->attempt_searched(member.pod->pod->uid());
    take_counts(member.decision, result);
    if (result.ending == Ending::Chosen) {
        member.slot = result.slot;
        if (!reserve(member)) member.slot = BERTH_NO_SLOT;
    } else {
        member.failure = {result.phase, result.ending != Ending::Failed, result.message, result.rejectors};
        // A nomination stays: the group may get its nodes in the next cycle.
        if (result.ending == Ending::Unfit) member.failure->nomination = std::nullopt;
    }
    core_.cache.end_attempt();
    ++cycle_->next;
    judge(member);
}

bind::Placement GroupCycle::placement(Member &member) const {
    return core_.placement(*member.pod, core_.cache.snapshot(), member.slot, std::move(member.state),
                           std::move(member.call));
}

/// The pods after it see it on its node. False: a Reserve plugin did not succeed.
bool GroupCycle::reserve(Member &member) {
    const plugin::Profile &profile = *member.pod->profile;
    member.placement.emplace(placement(member));
    member.reservation = std::make_unique<bind::Reservation>(*member.placement, core_.cache);
    core_.nominations.remove(member.pod->pod->uid());
    model::Status status;
    if (!profile.reserve.empty()) status = member.reservation->reserve(core_.cache.snapshot());
    if (status.success()) return true;
    member.failure = failure_on_node(profile, "Reserve", status);
    give_up(member);
    return false;
}

void GroupCycle::give_up(Member &member) {
    member.reservation.reset();
    member.state = std::move(member.placement->state);
    member.call = std::move(member.placement->call);
    member.placement.reset();
}

/// After a member: can the group still be placed?
void GroupCycle::judge(const Member &member) {
    Cycle &cycle = *cycle_;
    if (member.failure && !member.failure->rejected) {
        cycle.status = {.code = BERTH_STATUS_ERROR,
                        .error = "failed to schedule other pod from a pod group: " + member.failure->message,
                        .reasons = {},
                        .plugin = {}};
        return end();
    }
    const bool placed = member.slot != BERTH_NO_SLOT;
    cycle.scheduled += placed;
    cycle.status = feasible();
    if (cycle.status.code == BERTH_STATUS_UNSCHEDULABLE || cycle.status.code == BERTH_STATUS_ERROR) return end();
    cycle.any_placed = cycle.any_placed || placed;
}

void GroupCycle::end() {
    model::Status &status = cycle_->status;
    if (status.code == BERTH_STATUS_WAIT) {
        status.code = BERTH_STATUS_UNSCHEDULABLE;
        status.error = unschedulable;
    }
    // A success needs a pod that was placed in this cycle.
    if (status.success() && !cycle_->any_placed)
        status = {.code = BERTH_STATUS_UNSCHEDULABLE, .error = unschedulable, .reasons = {}, .plugin = {}};
    revert();
    submit();
}

void GroupCycle::abandon() {
    if (!cycle_) return;
    revert();
    cycle_ = nullptr;
}

/// Gives every node up again, the last one first.
void GroupCycle::revert() {
    for (auto member = cycle_->members.rbegin(); member != cycle_->members.rend(); ++member)
        if (member->placement) give_up(*member);
}

}  // namespace berth::scheduler

// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduling_cycle.h"

#include "plugin/meter.h"
#include "scheduler/evaluation.h"

#include <utility>

namespace berth::scheduler {

void SchedulingCycle::run(std::unique_ptr<queue::QueuedPod> pod) {
    core_.attempt_state.enter(State::Searching);
    const Shadow::Earning earning(core_.shadow ? &*core_.shadow : nullptr);
    if (core_.logs(3))
        core_.log->write(env::Severity::Info, 3, "Attempting to schedule pod", {{"pod", pod->pod->key()}});
    const plugin::AboutPod about(pod->pod);
    attempt_ = std::make_unique<Attempt>();
    core_.begin_attempt(*pod, *attempt_->call);
    attempt_->nodes = &core_.cache.snapshot();
    attempt_->decision = core_.decision_of(*pod);
    attempt_->pod = std::move(pod);
    attempt_->start = core_.cycle.next_start();
    const bool tables = core_.notifier.wants_tables(*attempt_->pod->pod);
    const auto *result =
        core_.cycle.run(search(), tables ? &attempt_->decision : nullptr, [this](const cycle::ScheduleResult &late) {
            core_.attempt_state.enter(State::Searching);
            searched(late);
        });
    if (result) return searched(*result);
    core_.attempt_state.enter(State::AwaitingExtenders);
}

cycle::Search SchedulingCycle::search() const {
    return {*attempt_->pod->profile, attempt_->pod->view, *attempt_->state, *attempt_->call,
            *attempt_->nodes,        core_.cache,         core_.nominations};
}

void SchedulingCycle::searched(const cycle::ScheduleResult &result) {
    const plugin::AboutPod about(attempt_->pod->pod);
    if (auto *meter = core_.calls.meter()) meter->attempt_searched(attempt_->pod->pod->uid());
    ask_shadow(result);
    take_counts(attempt_->decision, result);
    if (result.ending == cycle::Ending::Chosen) return reserve(result.slot);
    const bool rejected = result.ending != cycle::Ending::Failed;
    attempt_->failure = {result.phase, rejected, result.message, result.rejectors};
    if (result.ending == cycle::Ending::Unfit && !attempt_->pod->profile->post_filter.empty()) return post_filter();
    core_.attempt_state.enter(State::Failing);
    fail();
}

/// The shadow evaluates the same pod on the same snapshot, before the real decision changes anything.
void SchedulingCycle::ask_shadow(const cycle::ScheduleResult &result) {
    if (!core_.shadow) return;
    const queue::QueuedPod &pod = *attempt_->pod;
    DecisionSink &sink = core_.notifier.sink();
    const bool wanted = sink.wants_shadow(*pod.pod);
    const auto theirs = core_.shadow->ask(
        {*pod.pod, pod.view, core_.cycles, Core::attempt_salt(*pod.pod, pod.view.attempts), attempt_->start,
         *attempt_->nodes, core_.cache, core_.nominations, attempt_->decision, wanted},
        result);
    if (wanted && theirs) sink.shadow_decision(*theirs);
}

/// No node fits: PostFilter plugins may preempt pods. One of them may end its call later.
void SchedulingCycle::post_filter() {
    core_.attempt_state.enter(State::PostFiltering);
    if (auto *meter = core_.calls.meter()) meter->began(attempt_->pod->pod->uid(), plugin::CalledPoint::PostFilter);
    core_.cycle.post_filter(search(), [this](cycle::PostFilterResult result) { post_filtered(std::move(result)); });
}

void SchedulingCycle::post_filtered(cycle::PostFilterResult result) {
    core_.attempt_state.enter(State::Failing);
    const queue::QueuedPod &pod = *attempt_->pod;
    const plugin::AboutPod about(pod.pod);
    if (auto *meter = core_.calls.meter())
        meter->ended(pod.pod->uid(), pod.profile->scheduler_name, plugin::CalledPoint::PostFilter,
                     result.said.empty() ? BERTH_STATUS_UNSCHEDULABLE : result.said.back().status.code);
    Failure &failure = attempt_->failure;
    if (!result.message.empty()) failure.message += " " + result.message;
    failure.nomination = std::move(result.nomination);
    failure.victims = std::move(result.victims);
    if (result.failed && core_.log)
        core_.log->write(env::Severity::Error, 0, "Status after running PostFilter plugins for pod",
                         {{"pod", pod.pod->key()}, {"status", result.message}});
    if (core_.notifier.wants_tables(*pod.pod)) attempt_->decision.post_filter = std::move(result.said);
    fail();
}

/// The pod is assumed and reserved, and its binding cycle begins.
void SchedulingCycle::reserve(std::uint32_t slot) {
    core_.attempt_state.enter(State::Reserving);
    auto placement =
        core_.placement(*attempt_->pod, *attempt_->nodes, slot, std::move(attempt_->state), std::move(attempt_->call));
    if (auto failure = bindings_.begin(std::move(placement), attempt_->pod, attempt_->decision)) {
        attempt_->failure = *std::move(failure);
        core_.attempt_state.enter(State::Failing);
        return fail();
    }
    // Last, because a deferred event may delete the pod, which cancels a binding cycle that has begun.
    release_snapshot();
    finish();
}

/// Upstream's informers do not wait for an attempt, so the events come before its failure is handled.
void SchedulingCycle::fail() {
    release_snapshot();
    failures_.handle(std::move(attempt_->pod), std::move(attempt_->decision), std::move(attempt_->failure));
    finish();
}

/// From here on the snapshot may change. The pod, which is still in flight, learns the deferred events.
void SchedulingCycle::release_snapshot() {
    core_.cache.end_attempt();
    core_.deferred.replay();
}

void SchedulingCycle::finish() {
    attempt_.reset();
    core_.attempt_state.enter(State::Idle);
}

std::pair<const plugin::PendingCall *, const model::Pod *> SchedulingCycle::pending_call() const {
    if (!core_.attempt_state.is(State::PostFiltering)) return {};
    const auto *call = core_.cycle.post_filters().pending_call();
    return {call, call ? attempt_->pod->pod.get() : nullptr};
}

}  // namespace berth::scheduler

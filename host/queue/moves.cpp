// SPDX-License-Identifier: Apache-2.0
// Moves of pods between the queues: after a failed attempt, an event, or the flush of unschedulable pods.
#include "plugin/current_call.h"
#include "queue/queue.h"

#include <algorithm>

namespace berth::queue {

namespace {

Event wildcard(std::string_view name, model::PodPtr only) {
    return {resource_any, BERTH_EVENT_ALL, nullptr, std::move(only), nullptr, nullptr, name};
}

/// A group passes if one of its pods does.
bool passes(const QueuedPod &pod, const std::function<bool(const QueuedPod &)> &filter) {
    if (!pod.group) return filter(pod);
    return std::ranges::any_of(pod.group->members, [&](const auto &member) { return filter(*member); });
}

}  // namespace

/// What the events since the pod was popped would have done for it.
Strategy Queue::strategy_of_missed_events(QueuedPod &pod) {
    if (pod.has_no_rejectors() || !in_flight_.contains(pod.pod->uid())) return Strategy::AfterBackoff;
    Strategy best = Strategy::Skip;
    QueuedPod *const one[] = {&pod};
    in_flight_.replay(pod.pod->uid(), [&](const Event &event) {
        hints_.ask(event, one, strategies_);
        best = std::max(best, strategies_.front());
        return best == Strategy::Skip || (best == Strategy::AfterBackoff && !pod.pending.empty());
    });
    return best;
}

void Queue::requeue(std::unique_ptr<QueuedPod> pod, const model::PodPtr &current, Instances unschedulable,
                    Instances pending) {
    const Changing changing(*this);
    std::string uid(pod->pod->uid());
    if (is_member(*current)) {
        pod->renew(current);
        pod->unschedulable = std::move(unschedulable);
        pod->pending = std::move(pending);
        in_flight_.end(uid);
        return requeue_member(std::move(pod));
    }
    if (pod->profile != profile_of(*current)) {
        // The profiles are others now, and what those that are gone said of it counts no more.
        if (!find(*current)) {
            pod->renew(current);
            begin_anew(std::move(pod));
        }
    } else if (!find(*current)) {
        pod->renew(current);
        pod->unschedulable = std::move(unschedulable);
        pod->pending = std::move(pending);
        pod->count_failure();
        arrive(*pod);
        Strategy strategy = strategy_of_missed_events(*pod);
        place(*own(std::move(pod)), strategy, attempt_failed);
    }
    in_flight_.end(uid);
}

void Queue::use(std::span<const plugin::Profile> profiles, Settings settings) {
    const Changing changing(*this);
    std::vector<std::unique_ptr<QueuedPod>> pods;
    for (auto &pod : take_members()) pods.push_back(std::move(pod));
    for (auto &[key, pod] : pods_) pods.push_back(std::move(pod));
    std::erase_if(pods, [](const auto &pod) { return pod->group != nullptr; });
    std::ranges::sort(pods, {}, [](const auto &pod) { return pod->order; });
    pods_.clear();
    entities_ = 0;
    for (Heap *heap : {&active_, &backoff_, &error_backoff_}) heap->clear();
    unschedulable_.clear();
    emptied_ns_ = clock_.now_ns();
    rejectors_.clear();
    for (PodList *list : {&gated_, &rejected_}) list->clear();
    profiles_ = profiles;
    settings_ = settings;
    if (!settings_.groups) groups_.clear();
    hints_.use(profiles, settings.rules);
    for (auto &pod : pods) begin_anew(std::move(pod));
}

/// As if it had just come, but for what is counted of it.
void Queue::begin_anew(std::unique_ptr<QueuedPod> pod) {
    pod->profile = profile_of(*pod->pod);
    if (!pod->profile) return;
    pod->unschedulable.clear();
    pod->pending.clear();
    pod->gated_by = nullptr;
    pod->unschedulable_count = pod->error_count = 0;
    pod->place = Place::InFlight;
    arrive(*pod);
    if (is_member(*pod->pod)) return put_member(std::move(pod));
    make_active(*own(std::move(pod)), false, configuration_changed);
}

void Queue::move(const Event &event, const std::function<bool(const QueuedPod &)> &filter) {
    const Changing changing(*this);
    PluginMask concerned = hints_.concerned(event);
    if (concerned == 0) return;
    std::vector<QueuedPod *> pods;
    for (std::size_t i = 0; i < unschedulable_.size(); ++i)
        if ((rejectors_[i] & concerned) != 0 && (!filter || passes(*unschedulable_[i], filter)))
            pods.push_back(unschedulable_[i]);
    move_pods(event, pods);
    if (in_flight_.any()) in_flight_.record(event);
}

void Queue::move_pods(const Event &event, const std::vector<QueuedPod *> &candidates) {
    const plugin::AboutPod none(nullptr);  // a hint may come within the binding of another pod
    // Hints are not called for a gated pod unless its gate waits for such an event.
    const bool all = settings_.rules.flush_reaches_gated && event.wildcard();
    const plugin::Instance *gate = nullptr;  // the last one that was looked at
    bool waits_for_it = false;
    std::vector<QueuedPod *> pods;
    for (QueuedPod *pod : candidates) {
        if (const auto *by = pod->gated_by; by && by != gate) {
            gate = by;
            waits_for_it = hints_.concerns(*by, event);
        }
        if (all || !pod->gated_by || waits_for_it) pods.push_back(pod);
    }
    ask_hints(event, pods);
    std::vector<Strategy> strategies = strategies_;
    std::string event_label = label(event, settings_.rules.target_pod_events);
    for (std::size_t i = 0; i < pods.size(); ++i) {
        if (strategies[i] == Strategy::Skip) continue;
        leave(*pods[i]);  // One that is still gated enters anew.
        place(*pods[i], strategies[i], event_label);
    }
}

void Queue::activate(const model::PodPtr &pod) {
    const Changing changing(*this);
    QueuedPod *waiting = is_member(*pod) ? find_group(model::group_key(*pod)) : find(*pod);
    if (!waiting && is_member(*pod) && !groups_.contains(model::group_key(*pod))) return;
    if (waiting && waiting->place == Place::Unschedulable) {
        make_active(*waiting, false, force_activate);
        if (waiting->place == Place::Active) return;
    } else if (waiting && waiting->place != Place::Active) {
        return make_active(*waiting, true, force_activate);
    }
    // A group comes back by itself when its cycle is over.
    if (!is_member(*pod) && in_flight_.contains(pod->uid())) in_flight_.record(wildcard(force_activate, pod));
}

/// Whether a flush of unschedulable pods is due; the next one comes in its time.
bool Queue::skip_flushes() {
    const std::int64_t now = clock_.now_ns();
    if (now < next_flush_ns_) return false;
    next_flush_ns_ += ((now - next_flush_ns_) / flush_period_ns + 1) * flush_period_ns;
    return true;
}

void Queue::flush() {
    const Changing changing(*this);
    std::int64_t now = clock_.now_ns();
    for (Heap *heap : {&backoff_, &error_backoff_})
        while (!heap->empty() && !settings_.backoff.waiting(heap->top(), now))
            make_active(heap->top(), true, backoff_complete);
    if (!skip_flushes()) return;
    std::vector<QueuedPod *> late;
    for (QueuedPod *pod : unschedulable_)
        if (now - std::max(pod->view.queued_time_ns, pod->flushed_ns) > settings_.longest_unschedulable_ns)
            late.push_back(pod);
    if (late.empty()) return;
    if (settings_.rules.flush_reaches_gated)
        for (QueuedPod *pod : late) pod->flushed_ns = now;
    Event event = wildcard(unschedulable_timeout, nullptr);
    move_pods(event, late);
    if (in_flight_.any()) in_flight_.record(std::move(event));
}

std::optional<std::int64_t> Queue::next_ready() const {
    const auto &backoff = settings_.backoff;
    if (!active_.empty() || (backoff.early && !backoff_.empty())) return clock_.now_ns();
    std::optional<std::int64_t> out;
    for (const Heap *heap : {&backoff_, &error_backoff_})
        if (!heap->empty()) {
            const auto end = backoff.after(heap->top().backoff_end_ns);
            out = std::min(out.value_or(end), end);
        }
    return out;
}

std::optional<std::int64_t> Queue::next_wake() const {
    std::optional<std::int64_t> wake = next_ready();
    if (!unschedulable_.empty()) wake = std::min(wake.value_or(next_flush_ns_), next_flush_ns_);
    return wake;
}

}  // namespace berth::queue

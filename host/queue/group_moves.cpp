// SPDX-License-Identifier: Apache-2.0
// Groups as a whole: they come, are popped, return and go.
#include "queue/queue.h"

#include <algorithm>
#include <utility>

namespace berth::queue {

void Queue::group_changed(const model::PodGroupPtr &before, const model::PodGroupPtr &after) {
    const Changing changing(*this);
    if (!settings_.groups) return;
    if (!after) return drop_group(*before);
    const auto key = after->key();
    const bool is_new = !groups_.contains(key);
    groups_[key] = after;
    if (QueuedPod *group = find_group(key)) {
        group->group->object = after;
        refresh(*group);
    }
    if (!is_new) return;
    for (auto &pod : incomplete_.take(key)) put_member(std::move(pod));
}

/// The PodGroup is gone: its pods wait for another one of its name.
void Queue::drop_group(const model::PodGroup &group) {
    const auto key = group.key();
    if (groups_.erase(key) == 0) return;
    if (QueuedPod *queued = find_group(key)) {
        const auto gone = release(*queued);
        for (auto &pod : gone->group->members) incomplete_.put(std::move(pod));
    } else if (popped_group_ == key) {
        for (auto &pod : pending_.take(key)) incomplete_.put(std::move(pod));
    }
}

/// The group is popped. False: all of its pods are being scheduled already.
bool Queue::take_group(QueuedPod &group) {
    popped_group_ = group.group->object->key();
    ++group.view.attempts;
    auto &[object, members, tried] = *group.group;
    tried.clear();
    std::erase_if(members, [&](const auto &member) {
        ++member->view.attempts;
        if (in_flight_.begin(member->pod->uid())) return false;
        if (log_)
            log_->write(env::Severity::Error, 0,
                        "Discarding the popped pod group member: it is being scheduled already",
                        {{"pod", member->pod->key()}, {"podGroup", object->key()}});
        return true;
    });
    for (const auto &member : members) tried.emplace(member->pod->uid());
    return !members.empty();
}

void Queue::requeue_group(std::unique_ptr<QueuedPod> group, GroupOutcome outcome) {
    const Changing changing(*this);
    const auto key = group->group->object->key();
    popped_group_.clear();
    auto pods = pending_.take(key);
    if (pods.empty()) return;
    const auto known = groups_.find(key);
    if (known == groups_.end()) {
        for (auto &pod : pods) incomplete_.put(std::move(pod));
        return;
    }
    // Upstream, too, leaves a group alone that has come back by itself.
    if (find_group(key)) {
        for (auto &pod : pods) put_member(std::move(pod));
        return;
    }
    auto &of = *group->group;
    const bool some_failed =
        std::ranges::any_of(pods, [&](const auto &pod) { return of.tried.contains(std::string(pod->pod->uid())); });
    of.object = known->second;
    of.members.clear();
    for (auto &pod : pods) of.add(std::move(pod));
    refresh(*group);
    if (outcome == GroupOutcome::Placed) {
        group->unschedulable_count = group->error_count = 0;
    } else {
        ++(outcome == GroupOutcome::Rejected ? group->unschedulable_count : group->error_count);
        if (outcome == GroupOutcome::Rejected) group->error_count = 0;
        group->backoff_end_ns = 0;
    }
    // What is left of a group whose other pods were placed is tried again as soon as it would have been without them.
    if (outcome != GroupOutcome::Placed || !some_failed) {
        group->view.queued_time_ns = clock_.now_ns();
        group->order = ++arrivals_;
    }
    group->flushed_ns = 0;
    QueuedPod &queued = *own(std::move(group));
    if (outcome != GroupOutcome::Placed && settings_.backoff.waiting(queued, clock_.now_ns()))
        make_backoff(queued, attempt_failed);
    else make_active(queued, false, attempt_failed);
}

/// The best answer about a group's pods is the group's.
void Queue::ask_hints(const Event &event, std::span<QueuedPod *const> pods) {
    if (entities_ == 0) return hints_.ask(event, pods, strategies_);
    std::vector<QueuedPod *> all;
    for (QueuedPod *pod : pods) {
        if (!pod->group) all.push_back(pod);
        else
            for (auto &member : pod->group->members) all.push_back(member.get());
    }
    hints_.ask(event, all, strategies_);
    const auto of_each = std::exchange(strategies_, {});
    auto next = of_each.begin();
    for (QueuedPod *pod : pods) {
        const auto end = next + static_cast<std::ptrdiff_t>(pod->size());
        strategies_.push_back(*std::max_element(next, end));
        next = end;
    }
}

}  // namespace berth::queue

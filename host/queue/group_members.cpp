// SPDX-License-Identifier: Apache-2.0
// The pods of a group: they join it, change and leave.
#include "queue/queue.h"

#include <algorithm>
#include <utility>

namespace berth::queue {

namespace {

constexpr std::string_view member_came = "UnscheduledPodAdd";

}  // namespace

QueuedPod *Queue::find_group(const std::string &key) const {
    auto at = pods_.find("podgroup/" + key);
    return at == pods_.end() ? nullptr : at->second.get();
}

const QueuedPod *Queue::waiting_group(const std::string &key) const { return find_group(key); }

/// After its members or its PodGroup changed: the group sorts by its own priority and times.
void Queue::refresh(QueuedPod &group) {
    const auto &members = group.group->members;
    if (!members.empty()) {
        group.renew(members.front()->pod);
        group.profile = members.front()->profile;
    }
    group.view.priority = group.group->object->priority;
}

/// Takes the group out of its queue and says how it returns there.
Strategy Queue::leave_as_group(QueuedPod &group) {
    const auto strategy = group.place == Place::Active          ? Strategy::Immediately
                          : group.place == Place::Unschedulable ? Strategy::Skip
                                                                : Strategy::AfterBackoff;
    leave(group);
    return strategy;
}

/// The pod becomes a member of its group, or waits for it.
void Queue::put_member(std::unique_ptr<QueuedPod> pod) {
    const auto key = model::group_key(*pod->pod);
    const auto known = groups_.find(key);
    if (known == groups_.end()) return incomplete_.put(std::move(pod));
    if (QueuedPod *group = find_group(key)) {
        const auto strategy = leave_as_group(*group);
        group->group->add(std::move(pod));
        refresh(*group);
        return place(*group, strategy, member_came);
    }
    if (popped_group_ == key) return pending_.put(std::move(pod));
    auto group = std::make_unique<QueuedPod>();
    group->group = std::make_shared<QueuedGroup>();
    group->group->object = known->second;
    group->view.queued_time_ns = pod->view.queued_time_ns;
    group->view.initial_attempt_ns = pod->view.initial_attempt_ns;
    group->order = pod->order;
    group->group->add(std::move(pod));
    refresh(*group);
    make_active(*own(std::move(group)), false, member_came);
}

void Queue::update_member(const model::PodPtr &before, const model::PodPtr &after, std::vector<Event> &events) {
    const auto key = model::group_key(*after);
    if (!groups_.contains(key)) {
        if (auto *pod = incomplete_.find(*before)) pod->renew(after);
        return;
    }
    if (in_flight_.contains(after->uid())) {
        for (auto &event : events) in_flight_.record(std::move(event));
        return;
    }
    QueuedPod *group = find_group(key);
    if (QueuedPod *pod = group ? group->group->find(*after) : nullptr) {
        pod->renew(after);
        refresh(*group);
        renew_key(*group);
        if (Heap *heap = heap_of(group->place)) return heap->fix(*group);
        return update_unschedulable(*group, events);
    }
    if (auto *pod = pending_.find(*after)) return pod->renew(after);
    add(after);
}

void Queue::remove_member(const model::Pod &pod) {
    const auto key = model::group_key(pod);
    if (!groups_.contains(key)) return incomplete_.erase(pod);
    QueuedPod *group = find_group(key);
    if (!group) return pending_.erase(pod);
    const auto strategy = leave_as_group(*group);
    group->group->erase(pod);
    if (group->group->members.empty()) {
        release(*group);
        return;
    }
    refresh(*group);
    place(*group, strategy, member_came);
}

/// An attempt of a member failed. The events that it missed are not looked at: its group is tried again.
void Queue::requeue_member(std::unique_ptr<QueuedPod> pod) {
    if (pod->profile != profile_of(*pod->pod)) return begin_anew(std::move(pod));
    pod->count_failure();
    pod->flushed_ns = 0;
    pod->gated_by = nullptr;
    arrive(*pod);
    put_member(std::move(pod));
}

/// Every member of every group, out of their places; the groups that are left in the queues have none.
QueuedGroup::Members Queue::take_members() {
    QueuedGroup::Members out = incomplete_.take_all();
    for (auto &pod : pending_.take_all()) out.push_back(std::move(pod));
    for (auto &[key, pod] : pods_)
        if (pod->group)
            for (auto &member : std::exchange(pod->group->members, {})) out.push_back(std::move(member));
    return out;
}

void Queue::each(const std::function<void(const QueuedPod &)> &fn) const {
    for (const auto &[key, pod] : pods_) {
        if (!pod->group) fn(*pod);
        else
            for (const auto &member : pod->group->members) fn(*member);
    }
    incomplete_.each(fn);
    pending_.each(fn);
}

const QueuedPod *Queue::waiting(const model::Pod &pod) const {
    if (!is_member(pod)) return find(pod);
    const auto *group = find_group(model::group_key(pod));
    const QueuedPod *found = group ? group->group->find(pod) : nullptr;
    if (!found) found = incomplete_.find(pod);
    return found ? found : pending_.find(pod);
}

}  // namespace berth::queue

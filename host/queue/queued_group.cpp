// SPDX-License-Identifier: Apache-2.0
#include "queue/queued_group.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace berth::queue {

namespace {

/// Higher priorities come first, then pods that were tried more often, then those that wait longer.
bool before(const std::unique_ptr<QueuedPod> &a, const std::unique_ptr<QueuedPod> &b) {
    auto rank = [](const QueuedPod &pod) {
        return std::tuple(-static_cast<std::int64_t>(pod.view.priority), -static_cast<std::int64_t>(pod.view.attempts),
                          pod.view.queued_time_ns, pod.pod->name());
    };
    return rank(*a) < rank(*b);
}

bool same_name(const QueuedPod &queued, const model::Pod &pod) {
    return queued.pod->name() == pod.name() && queued.pod->name_space() == pod.name_space();
}

}  // namespace

std::size_t QueuedPod::group_size() const { return group->members.size(); }

std::string QueuedPod::group_key() const { return "podgroup/" + group->object->key(); }

void QueuedGroup::add(std::unique_ptr<QueuedPod> pod) {
    members.insert(std::ranges::lower_bound(members, pod, before), std::move(pod));
}

QueuedPod *QueuedGroup::find(const model::Pod &pod) const {
    auto at = std::ranges::find_if(members, [&](const auto &one) { return same_name(*one, pod); });
    return at == members.end() ? nullptr : at->get();
}

void QueuedGroup::erase(const model::Pod &pod) {
    std::erase_if(members, [&](const auto &one) { return same_name(*one, pod); });
}

void GroupMembers::put(std::unique_ptr<QueuedPod> pod) {
    pod->place = Place::Group;
    auto &of_group = pods_[model::group_key(*pod->pod)];
    auto key = pod->pod->key();
    auto &place = of_group[std::move(key)];
    if (!place) ++size_;
    place = std::move(pod);
}

QueuedPod *GroupMembers::find(const model::Pod &pod) const {
    auto of = pods_.find(model::group_key(pod));
    if (of == pods_.end()) return nullptr;
    auto at = of->second.find(pod.key());
    return at == of->second.end() ? nullptr : at->second.get();
}

void GroupMembers::erase(const model::Pod &pod) {
    auto of = pods_.find(model::group_key(pod));
    if (of == pods_.end()) return;
    size_ -= of->second.erase(pod.key());
    if (of->second.empty()) pods_.erase(of);
}

QueuedGroup::Members GroupMembers::take(const std::string &group) {
    QueuedGroup::Members out;
    auto of = pods_.find(group);
    if (of == pods_.end()) return out;
    for (auto &[key, pod] : of->second) {
        pod->place = Place::InFlight;
        out.push_back(std::move(pod));
    }
    size_ -= out.size();
    pods_.erase(of);
    return out;
}

QueuedGroup::Members GroupMembers::take_all() {
    QueuedGroup::Members out;
    while (!pods_.empty())
        for (auto &pod : take(pods_.begin()->first)) out.push_back(std::move(pod));
    return out;
}

}  // namespace berth::queue

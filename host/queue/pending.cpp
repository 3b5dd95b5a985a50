// SPDX-License-Identifier: Apache-2.0
// The pods that wait, as plugins see them (berth.host.pending_pods/draft1).
#include "queue/queue.h"

#include <algorithm>

namespace berth::queue {

namespace {

/// The plugins whose word the place is due to, by name.
std::vector<std::string_view> plugins_of(const QueuedPod &pod, const QueuedPod &entity, std::uint32_t place) {
    if (place == BERTH_PENDING_GATED) return {(pod.gated_by ? pod.gated_by : entity.gated_by)->name};
    std::vector<std::string_view> names;
    for (const Instances *list : {&pod.unschedulable, &pod.pending})
        for (const plugin::Instance *instance : *list) names.push_back(instance->name);
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

std::uint32_t name_of(const QueuedPod &entity) {
    switch (entity.place) {
        case Place::Active: return BERTH_PENDING_ACTIVE;
        case Place::Backoff:
        case Place::ErrorBackoff: return BERTH_PENDING_BACKOFF;
        case Place::Unschedulable: return entity.gated_by ? BERTH_PENDING_GATED : BERTH_PENDING_UNSCHEDULABLE;
        case Place::Group: return BERTH_PENDING_GROUP;
        case Place::InFlight: break;
    }
    return 0;
}

/// Shows pods of one visit, and knows when it ends.
class Shown {
    const plugin::PendingPods::Visit &visit_;
    const Backoff &backoff_;
    const model::Pod *hidden_;
    const std::uint64_t &changes_, before_ = changes_;
    const std::uint32_t places_;
    bool more_ = true;

public:
    Shown(const plugin::PendingPods::Visit &visit, std::uint32_t places, const Backoff &backoff,
          const model::Pod *hidden, const std::uint64_t &changes)
        : visit_(visit), backoff_(backoff), hidden_(hidden), changes_(changes), places_(places) {}

    bool wants(std::uint32_t place) const { return more_ && (places_ & place) != 0; }
    bool changed() const { return changes_ != before_; }
    /// Whether the visit goes on: else nothing of the queue may be looked at any more. `group` may be null.
    bool show(const QueuedPod &pod, const QueuedPod &entity, std::uint32_t place, const model::PodGroup *group) {
        if (hidden_ && hidden_->uid() == pod.pod->uid()) return true;
        const model::PodPtr alive = pod.pod;
        const berth_pod view = pod.view;
        const auto names = plugins_of(pod, entity, place);
        std::vector<berth_str> texts(names.size());
        std::ranges::transform(names, texts.begin(), [](std::string_view name) { return model::to_str(name); });
        berth_pending_pod shown{};
        shown.struct_size = sizeof shown;
        shown.pod = &view;
        shown.place = place;
        shown.plugins = texts.data();
        shown.plugins_len = texts.size();
        if (place == BERTH_PENDING_BACKOFF) shown.backoff_end_ns = backoff_.after(entity.backoff_end_ns);
        if (entity.group || place == BERTH_PENDING_GROUP) shown.group = model::to_str(alive->group());
        if (group) shown.group_priority = group->priority;
        more_ = visit_(shown) && !changed();
        return more_;
    }
    /// The same for each pod of a group.
    bool show_all(const QueuedPod &entity, std::uint32_t place) {
        if (!entity.group) return show(entity, entity, place, nullptr);
        const auto group = entity.group;
        for (const auto &member : group->members)
            if (!show(*member, entity, place, group->object.get())) return false;
        return true;
    }
    /// The same for a Heap or a PodList.
    template <class Pods>
    bool show_each(const Pods &pods, std::uint32_t place) {
        if (!wants(place)) return true;
        for (const QueuedPod *pod : pods.all())
            if (!show_all(*pod, place)) return false;
        return true;
    }
};

}  // namespace

plugin::PendingPods::Visited Queue::visit(std::uint32_t places, const plugin::PendingPods::Visit &visit) const {
    using plugin::PendingPods;
    if (changing_ > 0) return PendingPods::Visited::Closed;
    Shown shown(visit, places, settings_.backoff, hidden_, changes_);
    auto of_group = [&](const GroupMembers &members) {
        return !shown.wants(BERTH_PENDING_GROUP) || members.visit([&](const QueuedPod &pod) {
            const auto known = groups_.find(model::group_key(*pod.pod));
            return shown.show(pod, pod, BERTH_PENDING_GROUP, known == groups_.end() ? nullptr : known->second.get());
        });
    };
    (void)(shown.show_each(active_, BERTH_PENDING_ACTIVE) && shown.show_each(backoff_, BERTH_PENDING_BACKOFF) &&
           shown.show_each(error_backoff_, BERTH_PENDING_BACKOFF) &&
           shown.show_each(rejected_, BERTH_PENDING_UNSCHEDULABLE) && shown.show_each(gated_, BERTH_PENDING_GATED) &&
           of_group(incomplete_) && of_group(pending_));
    return shown.changed() ? PendingPods::Visited::Changed : PendingPods::Visited::Open;
}

std::optional<std::uint64_t> Queue::count(std::uint32_t places) const {
    if (changing_ > 0) return std::nullopt;
    std::uint64_t n = 0;
    if ((places & BERTH_PENDING_ACTIVE) != 0) n += active();
    if ((places & BERTH_PENDING_BACKOFF) != 0) n += backing_off();
    if ((places & BERTH_PENDING_UNSCHEDULABLE) != 0) n += unschedulable();
    if ((places & BERTH_PENDING_GATED) != 0) n += gated();
    if ((places & BERTH_PENDING_GROUP) != 0) n += incomplete() + pending();
    return hidden_ && (place_of(*hidden_) & places) != 0 ? n - 1 : n;
}

std::optional<std::uint64_t> Queue::version() const {
    if (changing_ > 0) return std::nullopt;
    return changes_;
}

/// BERTH_PENDING_…; 0: the pod does not wait.
std::uint32_t Queue::place_of(const model::Pod &pod) const {
    const QueuedPod *queued = waiting(pod);
    if (!queued || queued->pod->uid() != pod.uid()) return 0;
    const bool in_group = is_member(pod) && queued->place != Place::Group;
    return name_of(in_group ? *find_group(model::group_key(pod)) : *queued);
}

}  // namespace berth::queue

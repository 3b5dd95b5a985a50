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

/// Shows pods of one visit, and knows when it ends.
class Shown {
    const plugin::PendingPods::Visit &visit_;
    const std::uint64_t &changes_, before_ = changes_;
    const std::uint32_t places_;
    bool more_ = true;

public:
    Shown(const plugin::PendingPods::Visit &visit, std::uint32_t places, const std::uint64_t &changes)
        : visit_(visit), changes_(changes), places_(places) {}

    bool wants(std::uint32_t place) const { return more_ && (places_ & place) != 0; }
    bool changed() const { return changes_ != before_; }
    /// Whether the visit goes on: else nothing of the queue may be looked at any more.
    bool show(const QueuedPod &pod, const QueuedPod &entity, std::uint32_t place) {
        const model::PodPtr alive = pod.pod;
        const berth_pod view = pod.view;
        const auto names = plugins_of(pod, entity, place);
        std::vector<berth_str> texts(names.size());
        std::ranges::transform(names, texts.begin(), [](std::string_view name) { return model::to_str(name); });
        const auto backoff_end_ns = place == BERTH_PENDING_BACKOFF ? entity.backoff_end_ns : 0;
        more_ = visit_({sizeof(berth_pending_pod), 0, &view, place, 0, texts.data(), texts.size(), backoff_end_ns}) &&
                !changed();
        return more_;
    }
    /// The same for each pod of a group.
    bool show_all(const QueuedPod &entity, std::uint32_t place) {
        if (!entity.group) return show(entity, entity, place);
        for (const auto &member : entity.group->members)
            if (!show(*member, entity, place)) return false;
        return true;
    }
    bool show_all(const Heap &heap, std::uint32_t place) {
        if (!wants(place)) return more_;
        for (const QueuedPod *pod : heap.all())
            if (!show_all(*pod, place)) return false;
        return true;
    }
};

}  // namespace

plugin::PendingPods::Visited Queue::visit(std::uint32_t places, const plugin::PendingPods::Visit &visit) const {
    using plugin::PendingPods;
    if (changing_ > 0) return PendingPods::Visited::Closed;
    Shown shown(visit, places, changes_);
    auto waiting = [&] {
        for (const QueuedPod *pod : unschedulable_) {
            const auto place = pod->gated_by ? BERTH_PENDING_GATED : BERTH_PENDING_UNSCHEDULABLE;
            if (shown.wants(place) && !shown.show_all(*pod, place)) return false;
        }
        return true;
    };
    auto of_group = [&](const GroupMembers &members) {
        return !shown.wants(BERTH_PENDING_GROUP) ||
               members.visit([&](const QueuedPod &pod) { return shown.show(pod, pod, BERTH_PENDING_GROUP); });
    };
    (void)(shown.show_all(active_, BERTH_PENDING_ACTIVE) && shown.show_all(backoff_, BERTH_PENDING_BACKOFF) &&
           shown.show_all(error_backoff_, BERTH_PENDING_BACKOFF) && waiting() && of_group(incomplete_) &&
           of_group(pending_));
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
    return n;
}

}  // namespace berth::queue

// SPDX-License-Identifier: Apache-2.0
#include "queue/queue.h"

#include "plugin/meter.h"

#include "env/random.h"

#include <algorithm>
#include <compare>

namespace berth::queue {

namespace {

bool contains(const Instances &list, const plugin::Instance *instance) {
    return std::find(list.begin(), list.end(), instance) != list.end();
}

}  // namespace

Queue::Queue(std::span<const plugin::Profile> profiles, NodeTables &tables, env::Clock &clock, env::Log *log,
             Settings settings)
    : profiles_(profiles),
      clock_(clock),
      log_(log),
      settings_(settings),
      hints_(profiles, tables, log, settings.rules),
      active_([this](const QueuedPod &a, const QueuedPod &b) { return sorts_before(a, b); }),
      backoff_([this](const QueuedPod &a, const QueuedPod &b) {
          if (a.backoff_end_ns != b.backoff_end_ns) return a.backoff_end_ns < b.backoff_end_ns;
          return sorts_before(a, b);
      }),
      error_backoff_([](const QueuedPod &a, const QueuedPod &b) {
          if (a.backoff_end_ns != b.backoff_end_ns) return a.backoff_end_ns < b.backoff_end_ns;
          return a.order < b.order;
      }),
      next_flush_ns_(clock.now_ns() + flush_period_ns),
      emptied_ns_(clock.now_ns()) {}

const plugin::Profile *Queue::profile_of(const model::Pod &pod) const {
    for (const auto &profile : profiles_)
        if (profile.scheduler_name == pod.scheduler_name()) return &profile;
    return nullptr;
}

bool Queue::sorts_before(const QueuedPod &a, const QueuedPod &b) {
    const plugin::Instance *sort = profiles_.front().queue_sort;
    if (!sort) return a.order < b.order;
    if (sort->queue_sort->sort_key) {
        if (a.sort_key.empty() != b.sort_key.empty()) return b.sort_key.empty();  // what cannot be told comes last
        const auto order =
            std::lexicographical_compare_three_way(a.sort_key.data(), a.sort_key.data() + a.sort_key.size(),
                                                   b.sort_key.data(), b.sort_key.data() + b.sort_key.size());
        return order != 0 ? order < 0 : a.order < b.order;
    }
    bool a_first = false, b_first = false;
    model::Status thrown = plugin::guard(*sort, "QueueSort", [&] {
        a_first = sort->queue_sort->less(sort->self, &a.view, &b.view) > 0;
        b_first = !a_first && sort->queue_sort->less(sort->self, &b.view, &a.view) > 0;
    });
    if (!thrown.success() && log_) log_->write(env::Severity::Error, 0, thrown.message());
    return a_first || (!b_first && a.order < b.order);
}

/// A new wait begins.
void Queue::arrive(QueuedPod &pod) {
    pod.view.queued_time_ns = clock_.now_ns();
    pod.backoff_end_ns = 0;
    pod.order = ++arrivals_;
}

void Queue::renew_key(QueuedPod &pod) {
    const plugin::Instance *sort = profiles_.front().queue_sort;
    if (!sort || !sort->queue_sort->sort_key) return;
    auto &key = pod.sort_key;
    std::uint64_t size = 0;
    auto ask = [&](std::uint64_t room) {
        key.clear();  // what is not written is 0
        key.resize(room);
        model::Status thrown = plugin::guard(*sort, "QueueSort", [&] {
            size = sort->queue_sort->sort_key(sort->self, &pod.view, key.data(), key.size());
        });
        if (thrown.success()) return;
        size = 0;
        if (log_) log_->write(env::Severity::Error, 0, thrown.message());
    };
    ask(key.static_capacity);
    if (size > key.size()) ask(std::min<std::uint64_t>(size, BERTH_SORT_KEY_MAX));
    if (size < key.size()) key.resize(size);
}

QueuedPod *Queue::find(const model::Pod &pod) const {
    auto it = pods_.find(pod.key());
    return it == pods_.end() ? nullptr : it->second.get();
}

QueuedPod *Queue::own(std::unique_ptr<QueuedPod> pod) {
    QueuedPod *raw = pod.get();
    if (raw->group) ++entities_;
    pods_[raw->key()] = std::move(pod);
    return raw;
}

/// Out of its queue and out of the queue's hands.
std::unique_ptr<QueuedPod> Queue::release(QueuedPod &pod) {
    leave(pod);
    if (pod.group) --entities_;
    auto node = pods_.extract(pod.key());
    return std::move(node.mapped());
}

Heap *Queue::heap_of(Place place) {
    switch (place) {
        case Place::Active: return &active_;
        case Place::Backoff: return &backoff_;
        case Place::ErrorBackoff: return &error_backoff_;
        default: return nullptr;
    }
}

void Queue::leave(QueuedPod &pod) {
    if (Heap *heap = heap_of(pod.place)) {
        heap->remove(pod);
    } else if (pod.place == Place::Unschedulable) {
        unschedulable_.back()->index = pod.index;
        unschedulable_[pod.index] = unschedulable_.back();
        unschedulable_.pop_back();
        if (unschedulable_.empty()) emptied_ns_ = clock_.now_ns();
        rejectors_[pod.index] = rejectors_.back();
        rejectors_.pop_back();
        PodList::remove(pod);
    }
    pod.place = Place::InFlight;
}

void Queue::enter(QueuedPod &pod, Place place) {
    leave(pod);
    pod.place = place;
    if (pod.group)
        for (auto &member : pod.group->members) {
            member->place = place;
            member->backoff_end_ns = pod.backoff_end_ns;
        }
    renew_key(pod);
    if (Heap *heap = heap_of(place)) {
        heap->push(pod);
    } else {
        // That nothing waited for.
        if (unschedulable_.empty() && emptied_ns_ < next_flush_ns_) skip_flushes();
        pod.index = unschedulable_.size();
        unschedulable_.push_back(&pod);
        rejectors_.push_back(mask_of(pod));
        list_of(pod).add(pod);
    }
}

/// Asks one plugin whether the pod may enter.
bool Queue::passes_gate(QueuedPod &pod, const plugin::Instance &gate, bool was_gated) {
    constexpr plugin::CalledPoint point = plugin::CalledPoint::PreEnqueue;
    plugin::StatusSlot slot;
    call_.reset(0, env::text_hash(pod.pod->key()));
    model::Status status = plugin::counted(
        gate, point, 1, [&] { gate.pre_enqueue->pre_enqueue(gate.self, call_.call(), &pod.view, slot.raw()); });
    call_.free_scratch();
    if (status.success()) status = slot.take(gate, point);
    if (status.success()) return true;
    if (!contains(pod.unschedulable, &gate)) pod.unschedulable.push_back(&gate);
    pod.gated_by = &gate;
    if (!status.rejected() && log_)
        log_->write(env::Severity::Error, 0, "Unexpected error running PreEnqueue plugin",
                    {{"pod", pod.pod->key()}, {"plugin", gate.name}, {"err", status.message()}});
    if (!was_gated && on_gated_) on_gated_(pod, status);
    return false;
}

/// Asks every PreEnqueue plugin until one refuses; the one that refused last time first. Every pod of a group is asked
/// about, and one that is gated gates the group.
bool Queue::passes_gates(QueuedPod &pod) {
    if (pod.group) {
        pod.gated_by = nullptr;
        // By index, because a plugin may have the queue do something meanwhile.
        for (std::size_t i = 0; i < pod.group->members.size(); ++i)
            if (auto &member = *pod.group->members[i]; !passes_gates(member)) pod.gated_by = member.gated_by;
        return !pod.gated_by;
    }
    const plugin::AboutPod about(pod.pod);
    plugin::PointTimer timer(*pod.profile, plugin::CalledPoint::PreEnqueue);
    const bool passes = ask_gates(pod);
    timer.end(passes ? BERTH_STATUS_SUCCESS : BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE);
    return passes;
}

bool Queue::ask_gates(QueuedPod &pod) {
    const plugin::Instance *first = pod.gated_by;
    if (first && !passes_gate(pod, *first, true)) return false;
    for (const plugin::Instance *gate : pod.profile->pre_enqueue)
        if (gate != first && !passes_gate(pod, *gate, first != nullptr)) return false;
    pod.gated_by = nullptr;
    return true;
}

void Queue::incoming(const QueuedPod &pod, Place place, std::string_view event) {
    if (pod.group) {
        for (const auto &member : pod.group->members) incoming(*member, place, event);
        return;
    }
    if (on_incoming_) on_incoming_(pod, place, event);
    if (auto *meter = pod.profile->meter())
        meter->entered(pod.pod->uid(),
                       place == Place::Active          ? "active"
                       : place == Place::Unschedulable ? "unschedulable"
                                                       : "backoff",
                       event);
}

/// Into the unschedulable queue, if it is not there.
void Queue::make_unschedulable(QueuedPod &pod, std::string_view event) {
    if (pod.place == Place::Unschedulable) {
        rejectors_[pod.index] = mask_of(pod);  // A gate may have joined them.
        PodList::remove(pod);
        list_of(pod).add(pod);
        return;
    }
    enter(pod, Place::Unschedulable);
    incoming(pod, pod.place, event);
}

void Queue::make_active(QueuedPod &pod, bool from_backoff, std::string_view event) {
    // Pods in the backoff queue have passed the gates, if they may be taken early.
    const bool passed = from_backoff && settings_.backoff.early;
    if (!passed && !passes_gates(pod)) return make_unschedulable(pod, event);
    enter_active(pod, event);
}

void Queue::enter_active(QueuedPod &pod, std::string_view event) {
    if (pod.view.initial_attempt_ns == 0) pod.view.initial_attempt_ns = clock_.now_ns();
    if (pod.group)
        for (auto &member : pod.group->members)
            if (member->view.initial_attempt_ns == 0) member->view.initial_attempt_ns = clock_.now_ns();
    enter(pod, Place::Active);
    incoming(pod, pod.place, event);
}

void Queue::make_backoff(QueuedPod &pod, std::string_view event) {
    if (settings_.backoff.early && !passes_gates(pod)) return make_unschedulable(pod, event);
    enter(pod, pod.has_no_rejectors() ? Place::ErrorBackoff : Place::Backoff);
    incoming(pod, pod.place, event);
}

void Queue::place(QueuedPod &pod, Strategy strategy, std::string_view event) {
    if (strategy == Strategy::Skip) {
        make_unschedulable(pod, event);
    } else if (strategy == Strategy::AfterBackoff && settings_.backoff.waiting(pod, clock_.now_ns())) {
        make_backoff(pod, event);
    } else {
        make_active(pod, false, event);
    }
}

bool Queue::add(const model::PodPtr &pod) {
    const Changing changing(*this);
    return admit(pod, settings_.rules.target_pod_events ? "UnscheduledPodAdd" : "UnschedulablePodAdd");
}

/// A pod that nothing is known about yet. Whether PreEnqueue gates it.
bool Queue::admit(const model::PodPtr &pod, std::string_view event) {
    const plugin::Profile *profile = profile_of(*pod);
    if (!profile) return false;
    auto fresh = std::make_unique<QueuedPod>();
    fresh->renew(pod);
    fresh->profile = profile;
    arrive(*fresh);
    if (is_member(*pod)) {
        put_member(std::move(fresh));
        return false;
    }
    bool admitted = passes_gates(*fresh);
    QueuedPod *old = find(*pod);
    // As upstream: a pod that is ready already stays so when PreEnqueue refuses its new version.
    if (!admitted && old && old->place != Place::Unschedulable) return true;
    bool known = old != nullptr;
    if (known) release(*old);
    QueuedPod &newcomer = *own(std::move(fresh));
    if (admitted) {
        enter_active(newcomer, event);
        return false;
    }
    enter(newcomer, Place::Unschedulable);
    if (!known) incoming(newcomer, newcomer.place, event);
    return true;
}

void Queue::update(const model::PodPtr &before, const model::PodPtr &after) {
    const Changing changing(*this);
    std::vector<Event> events = pod_events(before, after, settings_.rules.target_pod_events);
    if (is_member(*after)) return update_member(before, after, events);
    if (in_flight_.contains(after->uid())) {
        for (auto &event : events) in_flight_.record(std::move(event));
        return;
    }
    QueuedPod *pod = find(*after);
    if (!pod) {
        (void)(settings_.rules.target_pod_events ? add(after) : admit(after, "UnschedulablePodUpdate"));
        return;
    }
    pod->renew(after);
    renew_key(*pod);
    if (Heap *heap = heap_of(pod->place)) return heap->fix(*pod);
    update_unschedulable(*pod, events);
}

/// The update of a pod may help it, or its group.
void Queue::update_unschedulable(QueuedPod &entity, const std::vector<Event> &events) {
    for (const auto &event : events) {
        QueuedPod *const one[] = {&entity};
        ask_hints(event, one);
        place(entity, strategies_.front(), label(event, settings_.rules.target_pod_events));
        if (entity.place != Place::Unschedulable) return;
    }
}

void Queue::remove(const model::Pod &pod) {
    const Changing changing(*this);
    if (is_member(pod)) return remove_member(pod);
    if (QueuedPod *old = find(pod)) release(*old);
}

std::unique_ptr<QueuedPod> Queue::pop() {
    const Changing changing(*this);
    flush();
    for (;;) {
        bool early = active_.empty() && settings_.backoff.early;
        Heap &from = early ? backoff_ : active_;
        if (from.empty()) return nullptr;
        if (early) incoming(from.top(), Place::Active, popped_from_backoff);
        auto pod = release(from.top());
        if (pod->group) {
            if (take_group(*pod)) return pod;
            popped_group_.clear();
            continue;
        }
        popped_group_.clear();
        if (!in_flight_.begin(pod->pod->uid())) {
            if (log_)
                log_->write(env::Severity::Error, 0, "Discarding the popped pod: it is being scheduled already",
                            {{"pod", pod->pod->key()}});
            continue;
        }
        ++pod->view.attempts;
        return pod;
    }
}

}  // namespace berth::queue

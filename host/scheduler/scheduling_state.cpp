// SPDX-License-Identifier: Apache-2.0
// What the scheduler says of a pod to whoever asks.
#include "cycle/remedies.h"
#include "plugin/rehearsal.h"
#include "record/ids.h"
#include "scheduler/dry_run.h"
#include "scheduler/scheduler.h"

#include <algorithm>

namespace berth {
namespace {

using State = model::Standing::State;

void add_wakes(model::Standing &out, const queue::Instances &rejectors) {
    for (const auto *instance : rejectors)
        for (const auto &interest : instance->interests) {
            auto actions = queue::action_names(interest.actions);
            out.wakes.push_back({instance->name, interest.resource, std::move(actions), interest.has_hint});
        }
}

void take_wait(model::Standing &out, const queue::QueuedPod &pod, const queue::Settings &settings) {
    using queue::Place;
    out.attempts = pod.view.attempts;
    out.since_ns = pod.view.queued_time_ns;
    out.first_ns = pod.view.initial_attempt_ns;
    for (const auto *instance : pod.unschedulable) out.rejected_by.push_back(instance->name);
    std::ranges::sort(out.rejected_by);
    if (pod.gated_by) {
        out.state = State::Gated;
        out.gated_by = pod.gated_by->name;
    } else if (pod.place == Place::Unschedulable) {
        out.state = State::Unschedulable;
        out.until_ns = pod.view.queued_time_ns + settings.longest_unschedulable_ns;
    } else if (pod.place == Place::Backoff || pod.place == Place::ErrorBackoff) {
        out.state = State::BackingOff;
        out.until_ns = pod.backoff_end_ns;
    } else {
        out.state = State::Active;
    }
    if (pod.place == Place::Unschedulable) add_wakes(out, pod.unschedulable);
}

constexpr std::uint64_t apart = std::uint64_t{1} << 63;  // the numbers of rehearsals from those of cycles

/// An attempt of which nobody hears.
struct Pretended {
    cluster::Cache &cache;
    explicit Pretended(cluster::Cache &of) : cache(of) { cache.begin_attempt(); }
    ~Pretended() { cache.end_attempt(); }
    Pretended(const Pretended &) = delete;
    Pretended &operator=(const Pretended &) = delete;
};

model::PodRef ref_of(const model::Pod &pod) {
    return {std::string(pod.name_space()), std::string(pod.name()), std::string(pod.uid())};
}

}  // namespace

std::vector<std::string> Scheduler::profile_names() const {
    std::vector<std::string> out;
    for (const auto &profile : (next_ ? next_ : now_)->profiles) out.push_back(profile.scheduler_name);
    return out;
}

const plugin::Profile *Scheduler::profile_of(const model::Pod &pod) const { return now_->profile_of(pod); }

model::PodPtr Scheduler::find_pod(std::string_view name_space, std::string_view name) {
    auto key = std::string(name_space).append("/").append(name);
    auto at = pending_.find(key);
    // One that has been given a node is looked for there.
    if (at != pending_.end() && !cache_.is_assumed(at->second->uid())) return at->second;
    const berth_pods &pods = *cache_.snapshot().pods;
    for (std::uint32_t row = 0; row < pods.rows; ++row) {
        if (pods.node_slot[row] == BERTH_NO_SLOT || !pods.obj[row]) continue;
        const auto *object = model::object_of(pods.obj[row]);
        const auto meta = object->meta();
        if (model::view(meta.name) == name && model::view(meta.namespace_) == name_space)
            return std::static_pointer_cast<const model::Pod>(object->shared_from_this());
    }
    return nullptr;
}

model::Standing Scheduler::standing(const model::PodPtr &pod) const {
    model::Standing out;
    out.pod = ref_of(*pod);
    out.profile = pod->scheduler_name();
    out.node = pod->node_name();
    out.nominated_node = nominations_.node_of(pod->uid());
    auto flight = std::ranges::find_if(
        flights_, [&](const auto &one) { return one.second.binding->placement().pod->uid() == pod->uid(); });
    const auto *waiting = queue_->waiting(pod->key());
    if (flight != flights_.end()) {
        const auto &[binding, way] = *flight;
        out.state = way.decision.result == model::AttemptResult::Waiting ? State::Waiting : State::Binding;
        out.node = model::view(binding->placement().node());
        out.attempts = way.pod->view.attempts;
    } else if (waiting) {
        take_wait(out, *waiting, queue_->settings());
    } else if (!pod->node_name().empty()) {
        out.state = State::Placed;
    } else if (!now_->serves(*pod)) {
        out.state = State::NotOurs;
    } else {
        out.state = pod->terminating() ? State::Deleted : State::Scheduling;
    }
    return out;
}

/// The pod as plugins would see it in its next attempt.
berth_pod Scheduler::view_of_next(const model::Pod &pod) const {
    berth_pod view = pod.view;
    const auto *waiting = queue_->waiting(pod.key());
    if (waiting && waiting->pod->uid() == pod.uid()) {
        view.attempts = waiting->view.attempts;
        view.queued_time_ns = waiting->view.queued_time_ns;
        view.initial_attempt_ns = waiting->view.initial_attempt_ns;
    }
    ++view.attempts;
    if (view.queued_time_ns == 0) view.queued_time_ns = clock_.now_ns();
    if (view.initial_attempt_ns == 0) view.initial_attempt_ns = clock_.now_ns();
    return view;
}

model::Rehearsal Scheduler::rehearse(const model::PodPtr &pod) {
    turn();
    return rehearse(pod, now_.get());
}

model::Rehearsal Scheduler::rehearse_shadow(const model::PodPtr &pod) {
    turn();
    return rehearse(pod, now_shadow_.get());
}

model::Rehearsal Scheduler::rehearse(const model::PodPtr &pod, const Generation *by) {
    model::Rehearsal out;
    const auto *found = by ? by->profile_of(*pod) : nullptr;
    if (!found) {
        out.decision.message = "no profile is called \"" + std::string(pod->scheduler_name()) + "\"";
        return out;
    }
    const plugin::Profile &profile = *found;
    const plugin::Rehearsal nothing_counts;
    record::Ids::Asker nobody{rehearsals_, 0, true};
    const record::Ids::As not_recorded(nobody);
    const plugin::AboutPod about(pod);
    const auto view = view_of_next(*pod);
    model::Decision &decision = out.decision;
    decision.pod = ref_of(*pod);
    decision.profile = profile.scheduler_name;
    decision.attempt = view.attempts;
    decision.time_ns = clock_.now_ns();
    decision.began_ns = clock_.monotonic_ns();
    decision.nominated_node = nominations_.node_of(pod->uid());
    const Pretended pretended(cache_);
    plugin::State state;
    plugin::CallContext call;
    call.reset(apart | ++rehearsals_, attempt_salt(*pod, view.attempts));
    if (!nominations_.empty()) cache_.spare(nominations_.size());
    cycle::Cycle cycle(settings_.seed, clock_);
    cycle.start_at(cycle_.next_start());
    const bool unfit =
        berth::rehearse(cycle, {profile, view, state, call, cache_.snapshot(), cache_, nominations_}, true, decision);
    decision.decided_ns = clock_.monotonic_ns();
    if (decision.phase == "PreEnqueue") return out;
    for (const auto &extender : now_->extenders) out.not_asked.push_back("extender " + extender->traits().url);
    if (!unfit) return out;
    for (const auto *instance : profile.post_filter) out.not_asked.push_back("PostFilter of " + instance->name);
    return out;
}

std::vector<model::Remedy> Scheduler::remedies(const model::PodPtr &pod, const model::Decision &rehearsed) {
    constexpr std::size_t most = 3;
    const auto *profile = profile_of(*pod);
    if (!profile || rehearsed.result != model::AttemptResult::Unschedulable || rehearsed.phase != "Filter") return {};
    const plugin::Rehearsal nothing_counts;
    record::Ids::Asker nobody{rehearsals_, 0, true};
    const record::Ids::As not_recorded(nobody);
    const plugin::AboutPod about(pod);
    const auto view = view_of_next(*pod);
    const Pretended pretended(cache_);
    plugin::State state;
    plugin::CallContext call;
    call.reset(apart | ++rehearsals_, attempt_salt(*pod, view.attempts));
    if (!nominations_.empty()) cache_.spare(nominations_.size());
    return cycle::find_remedies({*profile, view, state, call, cache_.snapshot(), cache_, nominations_}, rehearsed.nodes,
                                most);
}

}  // namespace berth

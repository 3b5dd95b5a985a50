// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.h"

#include "plugin/instance.h"
#include "plugin/meter.h"
#include "scheduler/dry_run.h"

#include <algorithm>
#include <utility>

namespace berth {

namespace {

/// A rejection after the choice of a node is told as if that node were the only one, as upstream does.
std::string one_node_message(const model::Status &status) {
    ReasonCounts reasons;
    for (const auto &reason : status.reasons) ++reasons[reason];
    return fit_message(1, {}, reasons);
}

cycle::Rejectors rejectors_of(const plugin::Profile &profile, const model::Status &status) {
    cycle::Rejectors rejectors;
    for (const auto &instance : profile.instances)
        if (instance->name == status.plugin) rejectors.add(instance.get(), status.code);
    return rejectors;
}

}  // namespace

Scheduler::Scheduler(env::Clock &clock, env::Log *log, DecisionSink &sink, SchedulerSettings settings)
    : clock_(clock),
      log_(log),
      sink_(sink),
      settings_(settings),
      waiting_(clock),
      cycle_(settings.seed, clock),
      cycles_(settings.cycles),
      seq_(settings.told) {}

Scheduler::~Scheduler() {
    old_.insert(old_.end(), {now_, now_shadow_, next_shadow_});
    for (const auto &generation : old_)
        if (generation)
            for (const auto &profile : generation->profiles) plugin::end_tasks(profile);
}

void Scheduler::offer(plugin::Services &services) {
    services.columns = this;
    services.changes = this;
    services.objects = &objects_;
    services.waiting_pods = &waiting_;
    services.preemption = this;
}

bool Scheduler::schedule_one() {
    if (attempt_) return false;
    turn();
    auto pod = queue_->pop();
    if (!pod) return false;
    if (pod->pod->terminating() || cache_.is_assumed(pod->pod->uid())) {
        if (log_ && pod->pod->terminating())
            log_->write(env::Severity::Info, 3, "Skip schedule deleting pod", {{"pod", pod->pod->key()}});
        queue_->done(pod->pod->uid());
        return true;
    }
    const Shadow::Earning earning(shadow_ ? &*shadow_ : nullptr);
    attempt(std::move(pod));
    return true;
}

/// Between two cycles.
void Scheduler::turn() {
    if (next_) swap();
    if (next_shadow_) swap_shadow();
    if (!old_.empty()) retire();
}

std::uint64_t Scheduler::attempt_salt(const model::Pod &pod, std::uint32_t attempt) {
    return env::mix(env::text_hash(pod.key())) ^ attempt;
}

void Scheduler::attempt(std::unique_ptr<queue::QueuedPod> pod) {
    if (logs(3)) log_->write(env::Severity::Info, 3, "Attempting to schedule pod", {{"pod", pod->pod->key()}});
    const plugin::AboutPod about(pod->pod);
    if (auto *meter = plugin::meter()) meter->attempt_began(pod->pod->uid());
    auto attempt = std::make_unique<Attempt>();
    attempt->state = std::make_unique<plugin::State>();
    attempt->call = std::make_unique<plugin::CallContext>();
    attempt->call->reset(++cycles_, attempt_salt(*pod->pod, pod->view.attempts));
    if (!nominations_.empty()) cache_.spare(nominations_.size());
    cache_.begin_attempt();
    attempt->nodes = &cache_.snapshot();
    attempt->decision = decision_of(*pod);
    attempt->pod = std::move(pod);
    attempt->start = cycle_.next_start();
    bool tables = sink_.detail_of(*attempt->pod->pod) != model::Detail::Summary;
    const auto *outcome = cycle_.run(search_of(*attempt), tables ? &attempt->decision : nullptr,
                                     [this](const cycle::Outcome &late) { searched(std::move(attempt_), late); });
    if (outcome) searched(std::move(attempt), *outcome);
    else attempt_ = std::move(attempt);
}

cycle::Search Scheduler::search_of(const Attempt &attempt) {
    return {*attempt.pod->profile, attempt.pod->view, *attempt.state, *attempt.call, *attempt.nodes, cache_,
            nominations_};
}

/// The search for a node has ended.
void Scheduler::searched(std::unique_ptr<Attempt> attempt, const cycle::Outcome &outcome) {
    const plugin::AboutPod about(attempt->pod->pod);
    if (auto *meter = plugin::meter()) meter->attempt_searched(attempt->pod->pod->uid());
    ask_shadow(*attempt, outcome);
    model::Decision &decision = attempt->decision;
    take_counts(decision, outcome);
    if (outcome.ending != cycle::Ending::Chosen) {
        bool rejected = outcome.ending != cycle::Ending::Failed;
        attempt->failure = {outcome.phase, rejected, outcome.message, outcome.rejectors};
        if (outcome.ending == cycle::Ending::Unfit && !attempt->pod->profile->post_filter.empty())
            return make_room(std::move(attempt));
        catch_up();
        return fail(std::move(attempt->pod), std::move(decision), std::move(attempt->failure));
    }
    const queue::QueuedPod &pod = *attempt->pod;
    bind::Placement placement;
    placement.keeps = now_;
    placement.profile = pod.profile;
    placement.pod = model::assumed_copy(pod.pod, model::view(attempt->nodes->name[outcome.slot]));
    placement.view = placement.pod->view;
    placement.view.attempts = pod.view.attempts;
    placement.view.queued_time_ns = pod.view.queued_time_ns;
    placement.view.initial_attempt_ns = pod.view.initial_attempt_ns;
    placement.slot = outcome.slot;
    placement.state = std::move(attempt->state);
    placement.call = std::move(attempt->call);
    place(std::move(attempt->pod), std::move(placement), std::move(decision));
    catch_up();
}

/// Assumes and reserves, then lets the binding take its course.
void Scheduler::place(std::unique_ptr<queue::QueuedPod> pod, bind::Placement placement, model::Decision decision) {
    const plugin::Profile &profile = *placement.profile;
    decision.node = model::view(placement.node());
    bind::Listener &listener = *this;
    auto binding = std::make_shared<bind::Binding>(std::move(placement), now_->extenders, cache_, waiting_, clock_,
                                                   log_, listener);
    const model::Pod &assumed = *binding->placement().pod;
    nominations_.remove(assumed.uid());
    tell("Assumed", assumed);
    std::string_view phase;
    model::Status status;
    // The snapshot is brought up to date only for those who look at it.
    if (!profile.reserve.empty() || !profile.permit.empty()) status = binding->reserve(cache_.snapshot(), phase);
    if (!status.success()) {
        binding->undo();
        tell("Forgotten", assumed);
        decision.node.clear();
        Failure failure{phase, status.rejected(), {}, {}};
        failure.message = failure.rejected ? one_node_message(status) : status.message();
        if (failure.rejected) failure.rejectors = rejectors_of(profile, status);
        return fail(std::move(pod), std::move(decision), std::move(failure));
    }
    decision.result = binding->must_wait() ? model::AttemptResult::Waiting : model::AttemptResult::Scheduled;
    if (binding->must_wait()) decision.phase = "Permit";
    tell(decision);
    flights_[binding.get()] = {std::move(pod), binding, std::move(decision)};
    binding->start();
}

/// An attempt ended without a node: back to the queue, if the world still knows the pod.
void Scheduler::fail(std::unique_ptr<queue::QueuedPod> pod, model::Decision decision, Failure failure) {
    decision.result = failure.rejected ? model::AttemptResult::Unschedulable : model::AttemptResult::Error;
    decision.phase = failure.phase;
    decision.reason = failure.rejected ? "Unschedulable" : "SchedulerError";
    decision.message = std::move(failure.message);
    decision.rejected_by = failure.rejectors.names();
    if (!failure.rejected && log_)
        log_->write(env::Severity::Error, 0, "Error scheduling pod; retrying",
                    {{"pod", pod->pod->key()}, {"err", decision.message}});
    if (failure.rejected && logs(2))
        log_->write(env::Severity::Info, 2, "Unable to schedule pod; no fit; waiting",
                    {{"pod", pod->pod->key()}, {"err", decision.message}});
    if (auto *meter = plugin::meter())
        meter->attempt_ended(pod->pod->uid(), pod->profile->scheduler_name,
                             failure.rejected ? "unschedulable" : "error");
    model::PodPtr tried = pod->pod;
    auto current = pending_.find(tried->key());
    bool recreated = current != pending_.end() && current->second->uid() != tried->uid();
    const bool known = current != pending_.end() && !recreated && responsible(*tried);
    if (known) {
        tried = current->second;
        nominations_.set(tried, failure.nomination);
    } else {
        queue_->done(tried->uid());
        nominations_.remove(tried->uid());
    }
    decision.nomination = std::move(failure.nomination);
    decision.nominated_node = nominations_.node_of(tried->uid());
    // Told before the queue gates the pod, of which it tells, too.
    tell(decision);
    if (known)
        queue_->requeue(std::move(pod), tried, std::move(failure.rejectors.unschedulable),
                        std::move(failure.rejectors.pending));
    if (on_failure_ && !recreated) on_failure_(*tried, decision);
}

/// No node took the pod: the PostFilter plugins are asked to make room. They may take their time.
void Scheduler::make_room(std::unique_ptr<Attempt> attempt) {
    attempt_ = std::move(attempt);
    if (auto *meter = plugin::meter()) meter->began(attempt_->pod->pod->uid(), "PostFilter");
    cycle_.post_filter(search_of(*attempt_), [this](cycle::PostFilterResult result) { room_made(std::move(result)); });
}

void Scheduler::room_made(cycle::PostFilterResult result) {
    auto attempt = std::move(attempt_);
    const plugin::AboutPod about(attempt->pod->pod);
    if (auto *meter = plugin::meter())
        meter->ended(attempt->pod->pod->uid(), attempt->pod->profile->scheduler_name, "PostFilter",
                     result.said.empty() ? BERTH_UNSCHEDULABLE : result.said.back().status.code);
    Failure &failure = attempt->failure;
    if (!result.message.empty()) failure.message += " " + result.message;
    failure.nomination = std::move(result.nomination);
    if (result.failed && log_)
        log_->write(env::Severity::Error, 0, "Status after running PostFilter plugins for pod",
                    {{"pod", attempt->pod->pod->key()}, {"status", result.message}});
    if (sink_.detail_of(*attempt->pod->pod) != model::Detail::Summary)
        attempt->decision.post_filter = std::move(result.said);
    catch_up();
    fail(std::move(attempt->pod), std::move(attempt->decision), std::move(failure));
}

/// While an attempt looks at the snapshot, nothing changes: true if `what` was put off until then.
bool Scheduler::later(std::function<void()> what) {
    if (!attempt_) return false;
    later_.push_back(std::move(what));
    return true;
}

/// The attempt is over. The pod learns what happened meanwhile as it would have if the search had taken that long.
void Scheduler::catch_up() {
    cache_.end_attempt();
    for (auto what = std::exchange(later_, {}); auto &event : what) event();
}

void Scheduler::permitted(bind::Binding &binding) { queue_->done(binding.placement().pod->uid()); }

void Scheduler::delayed(bind::Binding &binding) {
    if (on_delayed_) on_delayed_(*binding.placement().pod);
}

void Scheduler::bound(bind::Binding &binding) {
    auto flight = std::move(flights_.extract(&binding).mapped());
    const model::Pod &pod = *binding.placement().pod;
    if (auto *meter = plugin::meter()) {
        const berth_pod &view = flight.pod->view;
        meter->attempt_ended(pod.uid(), binding.placement().profile->scheduler_name, "scheduled");
        meter->bound(view.attempts, clock_.now_ns() - view.initial_attempt_ns);
    }
    tell("Bound", pod);
    if (logs(2))
        log_->write(env::Severity::Info, 2, "Successfully bound pod to node",
                    {{"pod", pod.key()},
                     {"node", std::string(pod.node_name())},
                     {"evaluatedNodes", std::to_string(flight.decision.evaluated_nodes)},
                     {"feasibleNodes", std::to_string(flight.decision.feasible_nodes)}});
    if (flight.decision.result == model::AttemptResult::Waiting) {
        flight.decision.result = model::AttemptResult::Scheduled;
        flight.decision.time_ns = clock_.now_ns();
        flight.decision.phase.clear();
        tell(flight.decision);
    }
    if (on_bound_) on_bound_(pod, flight.decision);
}

void Scheduler::failed(bind::Binding &binding, std::string_view phase, model::Status status) {
    if (later([this, &binding, phase, status] { failed(binding, phase, status); })) return;
    auto flight = std::move(flights_.extract(&binding).mapped());
    const model::PodPtr assumed = binding.placement().pod;
    binding.undo();
    tell("BindFailed", *assumed);
    Failure failure{phase, status.rejected(), status.message(), {}};
    if (phase == "Permit" && failure.rejected) {
        failure.message = one_node_message(status);
        failure.rejectors = rejectors_of(*binding.placement().profile, status);
    }
    flight.decision.node.clear();
    flight.decision.time_ns = clock_.now_ns();
    queue::Event freed = queue::pod_event(*assumed, BERTH_DELETE, assumed, nullptr);
    if (!failure.rejected) {
        queue_->move(freed);
        return fail(std::move(flight.pod), std::move(flight.decision), std::move(failure));
    }
    // Its own leaving does not help the pod itself.
    fail(std::move(flight.pod), std::move(flight.decision), std::move(failure));
    queue_->move(freed, [&](const queue::QueuedPod &other) { return other.pod->uid() != assumed->uid(); });
}

void Scheduler::gated(const queue::QueuedPod &pod, const model::Status &status) {
    model::Decision decision = decision_of(pod);
    decision.result = model::AttemptResult::Gated;
    decision.phase = "PreEnqueue";
    decision.message = status.message();
    decision.rejected_by = {status.plugin};
    gated_ = pod.pod->uid();
    tell(decision);
}

model::Decision Scheduler::decision_of(const queue::QueuedPod &pod) const {
    model::Decision decision;
    decision.pod = {std::string(pod.pod->name_space()), std::string(pod.pod->name()), std::string(pod.pod->uid())};
    decision.profile = pod.profile->scheduler_name;
    decision.attempt = pod.view.attempts;
    decision.cycle = cycles_;
    decision.time_ns = clock_.now_ns();
    decision.began_ns = clock_.monotonic_ns();
    return decision;
}

void Scheduler::tell(model::Decision &decision) {
    decision.seq = ++seq_;
    if (decision.decided_ns == 0) decision.decided_ns = clock_.monotonic_ns();
    sink_.decision(decision);
}

void Scheduler::tell(std::string_view type, std::string_view kind, std::string_view name_space, std::string_view name,
                     model::TreePtr object) {
    if (sink_.detail() != model::Detail::Events) return;
    sink_.event(
        {++seq_, std::string(type), std::string(kind), std::string(name_space), std::string(name), std::move(object)});
}

void Scheduler::tell(std::string_view type, const model::Pod &pod) { tell(type, "Pod", pod.name_space(), pod.name()); }

const berth_nodes *Scheduler::table(int which, const model::Node &node) { return &cache_.one_node(which, node); }

std::uint32_t Scheduler::slot(std::string_view node_name) { return cache_.slot(node_name); }

bool Scheduler::changes(std::uint64_t since, std::uint64_t now, const berth_change_sink &sink) {
    return cache_.changes(since, now, sink);
}
plugin::ColumnProvider::Held Scheduler::hold(std::uint32_t kind, std::string_view key) {
    auto id = cache_.declare_column(kind, key);
    return {id, cache_.until_released(id)};
}
std::uint32_t Scheduler::ask(std::uint32_t kind, std::string_view key) { return cache_.ask_column(kind, key); }

}  // namespace berth

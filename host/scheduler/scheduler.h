// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduler: owns the rooms between the world's events and the bound pod, and hands the pod on from one to the
/// next. It has no thread and never blocks; the same code runs in every world. Every pod it is told of has a UID.
///
///     Scheduler scheduler(clock, log, sink, settings);
///     plugin::Services services = …;            // clock, log, …
///     scheduler.offer(services);
///     scheduler.use(build_profiles(…));
///     // then, on the loop: the world reports what it sees, and
///     while (scheduler.schedule_one()) …;
///     // and again after any event, completion or timer, and at next_wake().

#include "bind/binding.h"
#include "cluster/cache.h"
#include "cluster/nominations.h"
#include "cluster/objects.h"
#include "cycle/cycle.h"
#include "model/remedy.h"
#include "model/standing.h"
#include "queue/queue.h"
#include "scheduler/shadow.h"

#include <set>

namespace berth {

/// Receives what was decided. On the loop.
class DecisionSink {
public:
    virtual ~DecisionSink() = default;
    /// How much to record. Node tables are only made for Detail::Nodes and above.
    virtual model::Detail detail() const = 0;
    /// The same for one pod, when more is wanted of it than of the others.
    virtual model::Detail detail_of(const model::Pod &) const { return detail(); }
    /// One attempt, when its serial part is over: the node is chosen and reserved (Scheduled, or Waiting if a plugin
    /// holds the pod in Permit), or why not. It is reported a second time, with the same attempt and cycle, when a
    /// waiting pod is bound, and when an attempt breaks while the pod is being bound: that is its last word. A pod that
    /// PreEnqueue holds back is Gated; no attempt was made.
    virtual void decision(const model::Decision &decision) = 0;
    /// Detail::Events: what happened between decisions.
    virtual void event(const model::DecisionEvent &event) = 0;
    /// Whether to hear in full of what the shadow would do with this pod.
    virtual bool wants_shadow(const model::Pod &) const { return false; }
    /// It, before the decision that it stands beside.
    virtual void shadow_decision(const model::Decision &) {}
};

struct SchedulerSettings {
    std::uint64_t seed = 0;
    queue::Settings queue;
    /// What a scheduler before it, whose work it goes on with, has counted: cycles, and what its sink was told.
    std::uint64_t cycles = 0, told = 0;
};

class Scheduler : public env::Observer,
                  private plugin::Preemption,
                  private bind::Listener,
                  private queue::NodeTables,
                  private plugin::ColumnProvider,
                  private plugin::ChangeProvider {
public:
    using OnEnd = std::function<void(const model::Pod &, const model::Decision &)>;

    /// All outlive it; `log` may be null.
    Scheduler(env::Clock &clock, env::Log *log, DecisionSink &sink, SchedulerSettings settings);
    ~Scheduler() override;

    /// Enters what plugin instances reach through it; needed to build the profiles.
    void offer(plugin::Services &services);
    plugin::WaitingPods &waiting_pods() { return waiting_; }
    plugin::Preemption &preemption() { return *this; }

    using Extenders = std::vector<std::unique_ptr<env::Extender>>;
    /// The profiles to schedule by, and the extenders to ask beside them in the order of their list; before anything
    /// else. Not empty. Called again, it is from the next cycle on that they take the place of those before: pods that
    /// wait begin anew with them, and pods that have a node already are bound by those that gave it to them, which
    /// live until then. Not from within a plugin's call.
    void use(std::vector<plugin::Profile> profiles, Extenders extenders = {});
    void use(std::vector<plugin::Profile> profiles, Extenders extenders, queue::Settings settings);
    /// Profiles that are asked, for each attempt, where they would put the pod: on the same snapshot, with the same
    /// chance, and nothing comes of it (scheduler/shadow.h). They were built with Services::shadow. From the next cycle
    /// on they take the place of those before; none: nobody is asked. Not from within a plugin's call.
    void use_shadow(std::vector<plugin::Profile> profiles, const ShadowSettings &settings);
    /// It is not asked any more, up to the next use_shadow().
    void pause_shadow();
    /// nullptr: there never was one.
    const Shadow *shadow() const { return shadow_ ? &*shadow_ : nullptr; }
    /// What rehearse() would tell if the shadow's profiles were in force.
    model::Rehearsal rehearse_shadow(const model::PodPtr &pod);
    /// Called when profiles have ended that others took the place of.
    void on_retired(std::function<void()> callback) { on_retired_ = std::move(callback); }
    /// The kinds that all those watch that have not ended.
    std::vector<plugin::Watched> watched_kinds() const;
    /// Nobody watches that kind any more: its objects are forgotten.
    void forget(const model::Kind &kind) { objects_.forget(kind); }
    /// Called after a pod's attempt failed, with the pod as it was tried: whoever tells the world listens here.
    void on_failure(OnEnd callback) { on_failure_ = std::move(callback); }
    /// Called when a pod was bound, with the pod as it was assumed.
    void on_bound(OnEnd callback) { on_bound_ = std::move(callback); }
    /// Called when a pod has a node but will not be bound for a while, with the pod as it was assumed: whoever tells
    /// the world writes status.nominatedNodeName.
    void on_delayed(std::function<void(const model::Pod &)> callback) { on_delayed_ = std::move(callback); }

    void node_added(model::NodePtr node) override;
    void node_updated(model::NodePtr before, model::NodePtr after) override;
    void node_deleted(model::NodePtr node) override;
    void pod_added(model::PodPtr pod) override;
    void pod_updated(model::PodPtr before, model::PodPtr after) override;
    void pod_deleted(model::PodPtr pod) override;
    void object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) override;

    /// Takes the next pod and tries to place it. False if none is ready, or while an extender or a PostFilter plugin
    /// takes its time: then what the world says waits too.
    bool schedule_one();
    /// Which plugins have not ended a call that they answered with IN_PROGRESS at least that long ago: a sentence for
    /// each plugin and point, about the pod that has waited longest.
    std::vector<std::string> unanswered(std::int64_t least_ns = 0) const;

    /// Whether nobody is asked about a pod at the moment: then the next three may be asked.
    bool between_cycles() const { return !attempt_; }
    /// A pod of that name that it knows, whoever schedules it; nullptr if there is none.
    model::PodPtr find_pod(std::string_view name_space, std::string_view name);
    /// Where that pod stands, and what it waits for.
    model::Standing standing(const model::PodPtr &pod) const;
    /// What would come of `pod` if its turn were now: PreEnqueue to Score as in an attempt, with the same chance, and
    /// nothing else. Nobody hears of it; extenders are not asked.
    model::Rehearsal rehearse(const model::PodPtr &pod);
    /// The smallest changes after which the pod would fit, of a rehearsal that told why it does not, on the same loop
    /// turn; at most three, the smallest first (cycle/remedies.h). Nobody hears of it.
    std::vector<model::Remedy> remedies(const model::PodPtr &pod, const model::Decision &rehearsed);
    /// The names of the profiles that pods can ask for.
    std::vector<std::string> profile_names() const;

    /// When a pod may be ready that is not now; nullopt: only an event or a completion can change that.
    std::optional<std::int64_t> next_wake() const { return attempt_ ? std::nullopt : queue_->next_wake(); }
    /// The same without the retry of pods that waited five minutes for an event.
    std::optional<std::int64_t> next_ready() const { return attempt_ ? std::nullopt : queue_->next_ready(); }

    /// Whether nothing is under way: no attempt, no pod that has its node and is not bound or not seen to be, and no
    /// profiles that are to take the place of those in force.
    bool at_rest() const { return !attempt_ && !next_ && flights_.empty() && cache_.assumed_count() == 0; }
    /// It is not asked for anything more: has the background work of its plugins end. Whether none runs, so that the
    /// destructor would not wait.
    bool wind_down();
    /// The settings with which another goes on with its work.
    SchedulerSettings settings() const { return {settings_.seed, queue_->settings(), cycles_, seq_}; }

    const queue::Queue &queue() const { return *queue_; }
    const cluster::Nominations &nominations() const { return nominations_; }
    cluster::Cache &cache() { return cache_; }
    const cluster::Cache &cache() const { return cache_; }
    const cluster::Objects &objects() const { return objects_; }
    std::size_t binding() const { return flights_.size(); }  ///< pods on their way to being bound
    /// What the queue, and pods that have no node yet, take of the heap beside the pods themselves, about.
    std::size_t queue_bytes() const {
        constexpr std::size_t of_map = 120;
        return queue_->bytes() + pending_.size() * of_map + flights_.size() * (sizeof(Flight) + of_map);
    }

private:
    /// What pods are scheduled by. It lives as long as a pod that was given a node by it is not bound.
    struct Generation {
        std::vector<plugin::Profile> profiles;
        Extenders extenders;
        queue::Settings settings;

        const plugin::Profile *profile_of(const model::Pod &pod) const;  ///< nullptr: it is not for them
        bool serves(const model::Pod &pod) const { return profile_of(pod) != nullptr; }
    };
    /// A pod that has a node and is not bound yet.
    struct Flight {
        std::unique_ptr<queue::QueuedPod> pod;
        std::shared_ptr<bind::Binding> binding;
        model::Decision decision;
    };
    /// Why an attempt ended without success.
    struct Failure {
        std::string_view phase;
        bool rejected = false;
        std::string message;
        cycle::Rejectors rejectors;
        std::optional<std::string> nomination = "";  ///< as of model::Decision
        std::vector<model::PostFilterRecord> said{};
    };
    /// An attempt, while extenders or PostFilter plugins think about it.
    struct Attempt {
        std::unique_ptr<queue::QueuedPod> pod;
        std::unique_ptr<plugin::State> state;
        std::unique_ptr<plugin::CallContext> call;
        const berth_nodes *nodes = nullptr;
        model::Decision decision;
        Failure failure{};
        std::uint64_t start = 0;  ///< where the cycle began its visit
    };

    void log_event(const char *text, const model::Pod &pod);
    void log_event(const char *text, const model::Node &node);
    bool logs(int verbosity) const { return log_ && log_->enabled(env::Severity::Info, verbosity); }
    bool responsible(const model::Pod &pod) const { return now_->serves(pod); }
    void swap();
    void swap_shadow();
    void find_shadow_kinds();
    void ask_shadow(const Attempt &attempt, const cycle::Outcome &outcome);
    void retire();
    void enqueue(const model::PodPtr &pod);
    void add_assigned(const model::PodPtr &pod);
    void update_assigned(const model::PodPtr &before, const model::PodPtr &after);
    void update_pending(const model::PodPtr &before, const model::PodPtr &after);
    void assumed_deleted(const model::PodPtr &pod);
    void free_nomination(const model::PodPtr &pod);

    static std::uint64_t attempt_salt(const model::Pod &pod, std::uint32_t attempt);
    void turn();
    const plugin::Profile *profile_of(const model::Pod &pod) const;
    model::Rehearsal rehearse(const model::PodPtr &pod, const Generation *by);
    berth_pod view_of_next(const model::Pod &pod) const;
    void attempt(std::unique_ptr<queue::QueuedPod> pod);
    cycle::Search search_of(const Attempt &attempt);
    void searched(std::unique_ptr<Attempt> attempt, const cycle::Outcome &outcome);
    void make_room(std::unique_ptr<Attempt> attempt);
    void room_made(cycle::PostFilterResult result);
    bool later(std::function<void()> what);
    void catch_up();
    void place(std::unique_ptr<queue::QueuedPod> pod, bind::Placement placement, model::Decision decision);
    void fail(std::unique_ptr<queue::QueuedPod> pod, model::Decision decision, Failure failure);
    void gated(const queue::QueuedPod &pod, const model::Status &status);
    model::Decision decision_of(const queue::QueuedPod &pod) const;
    void tell(model::Decision &decision);
    void tell(std::string_view type, std::string_view kind, std::string_view name_space, std::string_view name,
              model::TreePtr object = nullptr);
    void tell(std::string_view type, const model::Pod &pod);

    void permitted(bind::Binding &binding) override;
    void delayed(bind::Binding &binding) override;
    void bound(bind::Binding &binding) override;
    void failed(bind::Binding &binding, std::string_view phase, model::Status status) override;
    const berth_nodes *table(int which, const model::Node &node) override;
    std::uint32_t slot(std::string_view node_name) override;
    Held hold(std::uint32_t kind, std::string_view key) override;
    std::uint32_t ask(std::uint32_t kind, std::string_view key) override;
    bool changes(std::uint64_t since, std::uint64_t now, const berth_change_sink &sink) override;
    berth_trial *open_trial(const berth_call *call, const berth_state *state, const berth_pod *pod,
                            const berth_nodes *nodes, std::uint32_t slot) override;
    Answer remove_pod(berth_trial *trial, std::uint32_t row) override;
    Answer add_pod(berth_trial *trial, std::uint32_t row) override;
    Answer filter(berth_trial *trial) override;
    void close_trial(berth_trial *trial) override;
    bool narrow(const berth_call *call, std::vector<Candidate> candidates, Narrowed done) override;
    void visit_nominated(std::string_view node, const std::function<void(const berth_pod &)> &visit) override;
    bool remove_nomination(std::string_view uid) override;
    bool activate(std::string_view uid) override;
    bool cancel_pre_bind(std::string_view plugin, std::string_view uid, std::string_view reason) override;

    env::Clock &clock_;
    env::Log *log_;
    DecisionSink &sink_;
    SchedulerSettings settings_;
    OnEnd on_failure_, on_bound_;
    std::function<void(const model::Pod &)> on_delayed_;
    std::function<void()> on_retired_;
    cluster::Cache cache_;
    cluster::Objects objects_;
    cluster::Nominations nominations_;
    bind::Waiting waiting_;
    // After what their instances use, before what uses them.
    std::vector<std::shared_ptr<Generation>> old_;
    std::shared_ptr<Generation> now_, next_;  ///< the one in force, and the one to be so from the next cycle on
    std::shared_ptr<Generation> now_shadow_, next_shadow_;
    ShadowSettings next_shadow_settings_;
    std::vector<model::Kind> shadow_kinds_;  ///< that nobody but the shadow watches
    std::optional<queue::Queue> queue_;
    cycle::Cycle cycle_;
    std::optional<Shadow> shadow_;
    std::unordered_map<std::string, model::PodPtr> pending_;  ///< unscheduled pods, of other schedulers too
    std::unordered_map<const bind::Binding *, Flight> flights_;
    std::set<std::string> event_resources_;    ///< names that events point to
    std::unique_ptr<Attempt> attempt_;         ///< of the pod that somebody is asked about
    std::deque<std::function<void()>> later_;  ///< what happened meanwhile
    std::string gated_;                        ///< UID of the last pod that PreEnqueue held back
    std::uint64_t cycles_, seq_, rehearsals_ = 0;
};

}  // namespace berth

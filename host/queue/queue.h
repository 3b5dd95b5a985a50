// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduling queue: active, backoff, unschedulable and gated pods (upstream: PriorityQueue, v1.36.3).
///
///     add ──► PreEnqueue ──► active ──pop──► in flight ──done──► (gone)
///                │              ▲               │ requeue
///          gated ▼              │ backoff over  ▼
///          unschedulable ──► backoff, error backoff
///               └─ an event that may help ─┘
///
/// With Settings::groups the pods of a pod group are one entity (group_members.cpp, group_moves.cpp): it waits in one
/// queue, PreEnqueue gates it while it gates one of its pods, and pop() returns it as a whole. A pod whose PodGroup is
/// not known, or in its cycle, is in no queue.
///
/// The queue knows a pod by namespace/name. It never sleeps: the event loop asks next_wake() when no pod is ready. Loop
/// only.

#include "env/clock.h"
#include "model/keyed_hash.h"
#include "plugin/services.h"
#include "queue/heap.h"
#include "queue/hints.h"
#include "queue/in_flight.h"
#include "queue/pod_list.h"
#include "queue/queued_group.h"
#include "queue/settings.h"

#include <optional>

namespace berth::queue {

inline constexpr std::int64_t flush_period_ns =
    30 * second_ns;  ///< how often the queue looks for pods that wait too long

class Queue {
public:
    /// Called when a PreEnqueue plugin gates a pod; the status names the plugin and the reason.
    using OnGated = std::function<void(const QueuedPod &, const model::Status &)>;

    /// Called when a pod enters the active, backoff or unschedulable queue (gated pods enter the latter), with the
    /// event in the words of upstream's metric queue_incoming_pods_total. A pod that is popped from the backoff queue
    /// enters the active one for a moment.
    using OnIncoming = std::function<void(const QueuedPod &, Place, std::string_view event)>;

    /// All outlive the queue; `log` may be null. `profiles` is not empty, and all have the same QueueSort.
    Queue(std::span<const plugin::Profile> profiles, NodeTables &tables, env::Clock &clock, env::Log *log,
          Settings settings = {});
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;
    /// Swaps the profiles. Every waiting pod begins anew: pods of a profile that is gone leave the queue, the others
    /// become active in their order unless PreEnqueue gates them. Pods in flight do the same when they return.
    void use(std::span<const plugin::Profile> profiles, Settings settings);
    void on_gated(OnGated callback) { on_gated_ = std::move(callback); }
    void on_incoming(OnIncoming callback) { on_incoming_ = std::move(callback); }

    // Watch events of unscheduled pods of these profiles.
    bool add(const model::PodPtr &pod);  ///< whether PreEnqueue gates the pod
    void update(const model::PodPtr &before, const model::PodPtr &after);
    void remove(const model::Pod &pod);  ///< one in flight stays so until done() or requeue()

    /// A PodGroup came, changed or went (only one of the two may be null); only with Settings::groups.
    void group_changed(const model::PodGroupPtr &before, const model::PodGroupPtr &after);

    /// The next pod or group, in flight from here on: the first of the active queue, else of the backoff queue although
    /// its wait is not over, else nullptr. Its attempts count this one, and so do those of a group's pods. Every pod of
    /// a group has to come back through done() or requeue(), or be done by its binding cycle, and after them the group
    /// through requeue_group().
    std::unique_ptr<QueuedPod> pop();
    /// The pod will not come back through requeue().
    void done(std::string_view uid) { in_flight_.end(uid); }
    /// An attempt failed. `current` is the pod as the watch last said; the plugins are those that rejected it, none if
    /// the attempt broke. It goes where the events since pop() send it.
    void requeue(std::unique_ptr<QueuedPod> pod, const model::PodPtr &current, Instances unschedulable,
                 Instances pending);

    /// The cycle of the group that was popped last is over. What came back of it, or came meanwhile, waits again as a
    /// group, after a backoff unless its pods were placed.
    void requeue_group(std::unique_ptr<QueuedPod> group, GroupOutcome outcome);

    /// A cluster event: requeues the pods that it may help and that pass `filter` (null: all).
    void move(const Event &event, const std::function<bool(const QueuedPod &)> &filter = nullptr);

    /// Makes a pod ready at once if it waits in the backoff or unschedulable queue and PreEnqueue lets it in, whatever
    /// rejected it. One in flight comes back to the backoff queue (or the active one, if it need not wait) when it is
    /// rejected by plugins. Any other pod: nothing happens. `pod` names it by key, and in flight by UID.
    void activate(const model::PodPtr &pod);

    /// Brings back the pods whose time has come. pop() begins with it; to be called at next_wake() at the latest.
    void flush();

    /// When something may be ready next: now or earlier if it is. While pods wait for an event, the next look at how
    /// long they have waited counts too.
    std::optional<std::int64_t> next_wake() const;
    /// The same without that look, which finds pods that nothing has changed for.
    std::optional<std::int64_t> next_ready() const;

    /// Every pod that waits, in no particular order.
    void each(const std::function<void(const QueuedPod &)> &fn) const;
    /// The pods in those places (BERTH_PENDING_…), the active ones first, of which the first is the next unless another
    /// becomes ready before. A visit costs what it shows. Not while the queue changes, as when it calls a plugin.
    plugin::PendingPods::Visited visit(std::uint32_t places, const plugin::PendingPods::Visit &visit) const;
    /// How many these are, by counters; nullopt while the queue changes.
    std::optional<std::uint64_t> count(std::uint32_t places) const;
    /// Another one after each change of what visit() shows; nullopt while the queue changes.
    std::optional<std::uint64_t> version() const;
    /// As long as it lives, visit() and count() leave this pod out, as if it were being tried. Not to be nested.
    class Hidden {
        Queue &queue_;

    public:
        Hidden(Queue &queue, const model::Pod &pod) : queue_(queue) { set(&pod); }
        ~Hidden() { set(nullptr); }
        Hidden(const Hidden &) = delete;
        Hidden &operator=(const Hidden &) = delete;

    private:
        void set(const model::Pod *pod) {
            queue_.hidden_ = pod;
            ++queue_.changes_;
        }
    };
    /// The pod of that name, if it waits.
    const QueuedPod *waiting(const model::Pod &pod) const;
    /// The group of that key, "namespace/name", if it waits in a queue.
    const QueuedPod *waiting_group(const std::string &key) const;
    const Settings &settings() const { return settings_; }
    /// What it takes of the heap beside the pods themselves, about.
    std::size_t bytes() const {
        constexpr std::size_t of_map = 96;  // a node, its key, a place in a queue
        return pods_.size() * (sizeof(QueuedPod) + of_map);
    }
    // Pods, those of groups included.
    std::size_t active() const { return active_.size(); }
    std::size_t backing_off() const { return backoff_.size() + error_backoff_.size(); }
    std::size_t unschedulable() const { return rejected_.size(); }
    std::size_t gated() const { return gated_.size(); }
    std::size_t incomplete() const { return incomplete_.size(); }  ///< their PodGroup is not known
    std::size_t pending() const { return pending_.size(); }        ///< their group is in its cycle

private:
    /// As long as one lives the queue changes.
    class Changing {
        Queue &queue_;

    public:
        explicit Changing(Queue &queue) : queue_(queue) {
            ++queue_.changing_;
            ++queue_.changes_;
        }
        ~Changing() { --queue_.changing_; }
        Changing(const Changing &) = delete;
        Changing &operator=(const Changing &) = delete;
    };

    const plugin::Profile *profile_of(const model::Pod &pod) const;
    bool sorts_before(const QueuedPod &a, const QueuedPod &b);
    void arrive(QueuedPod &pod);
    void begin_anew(std::unique_ptr<QueuedPod> pod);
    QueuedPod *find(const model::Pod &pod) const;
    QueuedPod *own(std::unique_ptr<QueuedPod> pod);
    std::unique_ptr<QueuedPod> release(QueuedPod &pod);
    void leave(QueuedPod &pod);
    void enter(QueuedPod &pod, Place place);
    void renew_key(QueuedPod &pod);
    void incoming(const QueuedPod &pod, Place place, std::string_view event);
    void make_unschedulable(QueuedPod &pod, std::string_view event);
    void make_active(QueuedPod &pod, bool from_backoff, std::string_view event);
    void enter_active(QueuedPod &pod, std::string_view event);
    void make_backoff(QueuedPod &pod, std::string_view event);
    void place(QueuedPod &pod, Strategy strategy, std::string_view event);
    bool admit(const model::PodPtr &pod, std::string_view event);
    bool passes_gates(QueuedPod &pod);
    bool ask_gates(QueuedPod &pod);
    bool passes_gate(QueuedPod &pod, const plugin::Instance &gate, bool was_gated);
    Strategy strategy_of_missed_events(QueuedPod &pod);
    void move_pods(const Event &event, const std::vector<QueuedPod *> &pods);
    Heap *heap_of(Place place);
    PodList &list_of(const QueuedPod &pod) { return pod.gated_by ? gated_ : rejected_; }
    std::uint32_t place_of(const model::Pod &pod) const;
    void ask_hints(const Event &event, std::span<QueuedPod *const> pods);

    // Groups.
    bool is_member(const model::Pod &pod) const { return settings_.groups && !pod.group().empty(); }
    QueuedPod *find_group(const std::string &key) const;
    void refresh(QueuedPod &group);
    Strategy leave_as_group(QueuedPod &group);
    void put_member(std::unique_ptr<QueuedPod> pod);
    void update_member(const model::PodPtr &before, const model::PodPtr &after, std::vector<Event> &events);
    void remove_member(const model::Pod &pod);
    void requeue_member(std::unique_ptr<QueuedPod> pod);
    void update_unschedulable(QueuedPod &entity, const std::vector<Event> &events);
    bool skip_flushes();
    bool take_group(QueuedPod &group);
    void drop_group(const model::PodGroup &group);
    QueuedGroup::Members take_members();

    std::span<const plugin::Profile> profiles_;
    env::Clock &clock_;
    env::Log *log_;
    Settings settings_;
    OnGated on_gated_;
    OnIncoming on_incoming_;
    Hints hints_;
    plugin::CallContext call_;
    InFlight in_flight_;
    model::KeyedTable<std::unique_ptr<QueuedPod>> pods_;  ///< by key; those that wait
    Heap active_, backoff_, error_backoff_;
    std::vector<QueuedPod *> unschedulable_;
    std::vector<PluginMask> rejectors_;  ///< of unschedulable_: an event looks at these first
    PodList gated_, rejected_;           ///< of unschedulable_: a visit looks at one of these
    std::vector<Strategy> strategies_;
    std::map<std::string, model::PodGroupPtr, std::less<>> groups_;  ///< the PodGroups, by key
    GroupMembers incomplete_, pending_;
    std::string popped_group_;  ///< key of the group in its cycle, or ""
    std::size_t entities_ = 0;  ///< groups in a queue
    std::uint64_t arrivals_ = 0;
    std::uint64_t changes_ = 0;  ///< so far
    const model::Pod *hidden_ = nullptr;
    std::uint32_t changing_ = 0;  ///< how many are under way, one within another
    std::int64_t next_flush_ns_;
    std::int64_t emptied_ns_;  ///< since when unschedulable_ is empty, if it is
};

}  // namespace berth::queue

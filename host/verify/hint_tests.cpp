// SPDX-License-Identifier: Apache-2.0
// Test of a plugin's event registrations and hints: a pod that it rejected is woken by what makes the pod fit.
#include "verify/changes.h"
#include "verify/world.h"

#include "model/build.h"
#include "queue/hints.h"
#include "scheduler/node_tables.h"
#include "sim/patch.h"

#include <algorithm>
#include <set>
#include <utility>

namespace berth::verify {
namespace {

/// The events of what happens, as a queue gets them.
class Events final : public env::Observer {
    std::set<std::string> resources_;
    std::vector<queue::Event> all_;
    void add(std::vector<queue::Event> events) {
        for (auto &event : events) all_.push_back(std::move(event));
    }

    void node_added(model::NodePtr node) override {
        all_.push_back(queue::node_event(BERTH_EVENT_ADD, nullptr, std::move(node)));
    }
    void node_updated(model::NodePtr before, model::NodePtr after) override {
        add(queue::node_events(before, after, true));
    }
    void node_deleted(model::NodePtr node) override {
        all_.push_back(queue::node_event(BERTH_EVENT_DELETE, std::move(node), nullptr));
    }
    void pod_added(model::PodPtr pod) override {
        if (!pod->node_name().empty()) all_.push_back(queue::pod_event(*pod, BERTH_EVENT_ADD, nullptr, pod));
    }
    void pod_updated(model::PodPtr before, model::PodPtr after) override {
        add(queue::pod_events(before, after, true));
    }
    void pod_deleted(model::PodPtr pod) override {
        if (!pod->node_name().empty()) all_.push_back(queue::pod_event(*pod, BERTH_EVENT_DELETE, pod, nullptr));
    }
    void object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) override {
        const auto &resource = *resources_.insert(kind.event_resource()).first;
        all_.push_back(queue::object_event(resource, std::move(before), std::move(after)));
    }

public:
    std::vector<queue::Event> take() { return std::exchange(all_, {}); }
};

enum class Fit : std::uint8_t { No, Yes, Failed };

/// Does the plugin let the pod onto any node?
Fit fit(World &world, const model::PodPtr &pod) {
    Attempt attempt(world, pod);
    if (attempt.pre_filter.rejected()) return Fit::No;
    if (!attempt.pre_filter.success()) return Fit::Failed;
    if (!attempt.filters()) return Fit::Yes;
    Fit out = Fit::No;
    for (const auto &verdict : attempt.filter(attempt.state, attempt.slots())) {
        if (verdict.code == BERTH_STATUS_SUCCESS) return Fit::Yes;
        if (!model::is_rejection(verdict.code)) out = Fit::Failed;
    }
    return out;
}

std::vector<Fit> fits(World &world) {
    std::vector<Fit> out;
    for (const auto &pod : world.pending) out.push_back(fit(world, pod));
    return out;
}

/// One step of the cluster's life.
class Life {
    World &world_;
    Random &random_;
    ObjectChanges objects_;
    std::vector<std::string> placed_;  ///< keys
    std::optional<std::size_t> gone_{};

    std::string any_node() {
        auto which = random_.below(world_.nodes.size());
        if (which == gone_) which = (which + 1) % world_.nodes.size();
        return std::string(world_.nodes[which]->name);
    }
    void add_pod() {
        const auto pod = world_.maker.pod(any_node());
        if (world_.stage.api.store().put(sim::pod_kind, *pod->tree)) placed_.push_back(pod->key());
    }
    void remove_pod() {
        if (placed_.empty()) return;
        auto &one = placed_[random_.below(placed_.size())];
        world_.stage.api.store().remove(sim::pod_kind, one);
        one = std::move(placed_.back());
        placed_.pop_back();
    }
    void change_labels() {
        if (placed_.empty()) return;
        auto &store = world_.stage.api.store();
        const auto pod = store.pod(placed_[random_.below(placed_.size())]);
        if (!pod) return;
        const auto like = world_.maker.pod("");
        model::Arena arena;
        model::ObjectBuilder root(arena), meta(arena);
        meta.add("labels", model::copy(arena, like->tree->value()["metadata"]["labels"]));
        const auto patch = root.add("metadata", meta).value();
        (void)store.put(sim::pod_kind, *sim::merged(pod->tree->value(), model::Value{&patch}));
    }
    void change_node() {
        auto &store = world_.stage.api.store();
        const auto which = gone_ ? *gone_ : random_.below(world_.nodes.size());
        if (!gone_ && world_.nodes.size() > 1 && random_.once_in(4)) {
            store.remove_node(world_.nodes[which]->name);
            gone_ = which;
            return;
        }
        gone_.reset();
        (void)store.put_node(*world_.maker.node(which)->tree);
    }

public:
    explicit Life(World &world)
        : world_(world), random_(world.random), objects_(world.stage.api.store(), world.random) {
        for (const auto &pod : world.placed) placed_.push_back(pod->key());
    }
    void step() {
        constexpr std::uint64_t kinds_of_change = 6, objects_of_one = 3;
        switch (random_.below(kinds_of_change)) {
            case 0: add_pod(); break;
            case 1: remove_pod(); break;
            case 2: change_labels(); break;
            case 3: change_node(); break;
            default: objects_.change(objects_of_one);
        }
        world_.stage.clock.run();
    }
};

bool wakes(queue::Hints &hints, const World &world, const queue::Event &event, const model::PodPtr &pod) {
    queue::QueuedPod queued;
    queued.pod = pod;
    queued.view = pod->view;
    queued.view.attempts = 1;
    queued.view.queued_time_ns = stage_start_ns;
    queued.profile = &world.profile;
    queued.unschedulable.push_back(&world.instance());
    queue::QueuedPod *const one = &queued;
    std::vector<queue::Strategy> out;
    hints.ask(event, {&one, 1}, out);
    return out.front() != queue::Strategy::Skip;
}

bool woken(queue::Hints &hints, const World &world, const std::vector<queue::Event> &events, const model::PodPtr &pod) {
    return std::ranges::any_of(events, [&](const auto &event) { return wakes(hints, world, event, pod); });
}

/// That none of the events wakes the pod.
Finding sleeps(const queue::Hints &hints, const World &world, const std::vector<queue::Event> &events,
               const model::PodPtr &pod) {
    std::set<std::string> skipped, all;
    for (const auto &event : events) {
        all.insert(queue::label(event, false));
        if (hints.concerns(world.instance(), event)) skipped.insert(queue::label(event, false));
    }
    std::string names;
    for (const auto &name : skipped.empty() ? all : skipped) names += (names.empty() ? "" : ", ") + name;
    return Finding{"an event that wakes the pod, which the plugin rejected on every node and now lets onto one",
                   skipped.empty() ? "the plugin registered none of what happened: " + names
                                   : "the hint answered SKIP for " + names,
                   "pod \"" + pod->key() + "\""};
}

/// What happens is one thing at a time, or a few objects. A change that no event is for wakes no pod. As in a queue,
/// the plugin is asked about the events before it sees a pod again, and may wake pods itself.
Found hints(World &world, Run &) {
    constexpr int steps = 240;
    scheduler::NodeTables tables(world.stage.scheduler.cache());
    queue::Hints hints({&world.profile, 1}, tables, nullptr, config::Rules{});
    Events events;
    world.stage.api.store().watch(events);
    Life life(world);
    Activations::Uids activated;
    world.stage.activations.to = &activated;
    auto before = fits(world);
    Found found;
    for (int i = 0; i < steps && !found; ++i) {
        activated.clear();
        life.step();
        const auto happened = events.take();
        std::vector<bool> wakes_one;
        for (std::size_t k = 0; k < before.size(); ++k)
            wakes_one.push_back(happened.empty() || before[k] != Fit::No ||
                                woken(hints, world, happened, world.pending[k]));
        auto now = fits(world);
        for (std::size_t k = 0; k < now.size() && !found; ++k)
            if (!wakes_one[k] && now[k] == Fit::Yes && !activated.contains(world.pending[k]->uid()))
                found = sleeps(hints, world, happened, world.pending[k]);
        before = std::move(now);
    }
    world.stage.activations.to = nullptr;
    return found;
}

/// With few nodes that are full, so that pods are rejected on all of them.
template <WorldTest Fn>
Found few_nodes(Run &run) {
    return in_world(run, {3, 30, 24}, Fn);
}

}  // namespace

std::vector<Test> hint_tests() {
    return {{.name = "semantics/hints",
             .run = few_nodes<hints>,
             .interfaces = {BERTH_PLUGIN_PRE_FILTER_V1, BERTH_PLUGIN_FILTER_V1}}};
}

}  // namespace berth::verify

// SPDX-License-Identifier: Apache-2.0
#include "pod_groups.h"
#include "queue_world.h"

using namespace berth;
using namespace berth::queue;

namespace {

using Texts = std::vector<std::string>;

struct GroupWorld : QueueWorld {
    GroupWorld(std::initializer_list<FakePlugin *> fakes) : QueueWorld(fakes, with_groups()) {}

    void group(const std::string &name, const std::string &more = {}) {
        queue->group_changed(nullptr, pod_group(name, "basic: {}", more));
    }
    /// The pods of the group that is popped, in their order; each of them is done.
    std::string pop_group() {
        auto group = pop();
        std::string names;
        for (const auto &one : group->group->members) {
            names += std::string(one->pod->name()) + " ";
            queue->done(one->pod->uid());
        }
        queue->requeue_group(std::move(group), GroupOutcome::Placed);
        return names;
    }
    std::unique_ptr<QueuedPod> pop() {
        auto group = queue->pop();
        REQUIRE(group);
        REQUIRE(group->group);
        return group;
    }
    /// Every pod of the group comes back, rejected by that plugin.
    void reject(std::unique_ptr<QueuedPod> group, std::string_view by) {
        for (auto &one : std::exchange(group->group->members, {})) {
            auto pod = one->pod;
            queue->requeue(std::move(one), pod, {plugin(by)}, {});
        }
        queue->requeue_group(std::move(group), GroupOutcome::Rejected);
    }
};

}  // namespace

TEST_CASE("queue: the pods of a group are popped together, by priority and name", "[queue]") {
    FakePlugin sort{"Sort"};
    GroupWorld world({&sort});
    world.group("g");
    for (const auto *name : {"b", "a"}) world.queue->add(member(name, "g"));
    world.queue->add(member("first", "g", "priority: 5, "));
    CHECK(world.queue->active() == 3);
    CHECK(world.pop_group() == "first a b ");
    CHECK(world.queue->pop() == nullptr);
}

TEST_CASE("queue: a pod waits for its PodGroup, and again when that is gone", "[queue]") {
    FakePlugin sort{"Sort"};
    GroupWorld world({&sort});
    world.queue->add(member("p", "g"));
    CHECK(world.queue->pop() == nullptr);
    CHECK(world.queue->incomplete() == 1);
    REQUIRE(world.queue->waiting(*member("p", "g")));
    CHECK(world.queue->waiting(*member("p", "g"))->place == Place::Group);
    world.group("g");
    CHECK(world.queue->incomplete() == 0);
    CHECK(world.queue->waiting(*member("p", "g"))->place == Place::Active);
    CHECK(world.queue->waiting(*member("q", "g")) == nullptr);
    CHECK(world.queue->waiting_group("default/g")->size() == 1);
    CHECK(world.queue->waiting_group("default/h") == nullptr);
    CHECK(world.queue->active() == 1);
    world.queue->group_changed(pod_group("g"), nullptr);
    CHECK(world.queue->incomplete() == 1);
    CHECK(world.queue->pop() == nullptr);
    world.queue->remove(*member("p", "g"));
    CHECK(world.queue->incomplete() == 0);
}

TEST_CASE("queue: a group sorts by its own priority, and by when its first pod came", "[queue]") {
    FakePlugin sort{"Sort"};
    sort.less = [](const berth_pod *a, const berth_pod *b) {
        return a->priority != b->priority ? a->priority > b->priority : a->queued_time_ns < b->queued_time_ns;
    };
    GroupWorld world({&sort});
    world.queue->group_changed(
        nullptr, model::read_pod_group(any_object(model::pod_group_kind(),
                                                  "{metadata: {namespace: default, name: g}, spec: {priority: 7, "
                                                  "schedulingPolicy: {basic: {}}}}"),
                                       no_faults));
    world.queue->add(plain_pod("alone"));
    world.pass(1);
    world.queue->add(member("p", "g"));
    auto first = world.pop();
    CHECK(first->view.priority == 7);
    CHECK(first->view.queued_time_ns == start_ns + second_ns);
}

TEST_CASE("queue: one gated pod gates its group, and an event for its gate lets it in", "[queue]") {
    bool open = false;
    FakePlugin gate = interested("Gate", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    gate.pre_enqueue = [&](const berth_pod *pod, berth_status *status) {
        if (!open && text(pod->name) == "b") answer(status, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "not yet");
    };
    GroupWorld world({&gate});
    world.group("g");
    world.queue->add(member("a", "g"));
    world.queue->add(member("b", "g"));
    CHECK(world.gated == Texts{"b: not yet"});
    CHECK(world.queue->gated() == 2);
    CHECK(world.queue->pop() == nullptr);
    open = true;
    world.node_appears();
    CHECK(world.queue->gated() == 0);
    CHECK(world.pop_group() == "a b ");
}

TEST_CASE("queue: a group of old pods waits for the next flush, and not for those that nothing waited for", "[queue]") {
    FakePlugin gate{"Gate"};
    gate.pre_enqueue = [](const berth_pod *, berth_status *status) {
        answer(status, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "never");
    };
    GroupWorld world({&gate});
    world.queue->add(member("a", "g"));
    constexpr std::int64_t long_ago = 1000;  // seconds: 10 after a flush
    world.pass(long_ago);
    world.group("g");
    (void)world.news();
    CHECK(world.queue->pop() == nullptr);
    CHECK(world.news().empty());
    world.pass(20);
    CHECK(world.queue->pop() == nullptr);
    CHECK(world.news() == Texts{"a unschedulable UnschedulableTimeout"});
}

TEST_CASE("queue: a flush that is due comes although a pod of the only group that waits goes before", "[queue]") {
    FakePlugin gate{"Gate"};
    gate.pre_enqueue = [](const berth_pod *, berth_status *status) {
        answer(status, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "never");
    };
    GroupWorld world({&gate});
    for (const auto *name : {"a", "b"}) world.queue->add(member(name, "g"));
    world.group("g");
    constexpr std::int64_t long_time = 1000;  // seconds
    world.pass(long_time);
    world.queue->remove(*member("b", "g"));
    (void)world.news();
    CHECK(world.queue->pop() == nullptr);
    CHECK(world.news() == Texts{"a unschedulable UnschedulableTimeout"});
}

TEST_CASE("queue: a pod without a group that fails during a group's cycle leaves the group alone", "[queue]") {
    FakePlugin fit{"Fit"};
    GroupWorld world({&fit});
    const auto alone = plain_pod("alone");
    world.queue->add(alone);
    auto binding = world.queue->pop();
    REQUIRE(binding);
    world.group("g");
    for (const auto *name : {"a", "b"}) world.queue->add(member(name, "g"));
    auto group = world.pop();
    world.queue->add(member("late", "g"));
    world.queue->requeue(std::move(binding), alone, {world.plugin("Fit")}, {});
    world.reject(std::move(group), "Fit");
    CHECK(world.queue->waiting_group("default/g")->size() == 3);
    CHECK(world.queue->pending() == 0);
    constexpr std::int64_t backoffs = 20;  // seconds
    world.pass(backoffs);
    world.queue->activate(member("a", "g"));
    std::string names;
    while (auto popped = world.queue->pop())
        names += popped->group ? std::to_string(popped->group->members.size()) + " pods " : "alone ";
    CHECK(names.find("3 pods ") != std::string::npos);
    CHECK(world.queue->active() == 0);
}

TEST_CASE("queue: a rejected group waits longer with each attempt, up to max times the root of its pods", "[queue]") {
    FakePlugin fit{"Fit"};
    GroupWorld world({&fit});
    world.group("g");
    for (const auto *name : {"a", "b", "c", "d"}) world.queue->add(member(name, "g"));
    auto seconds_of = [&] {
        world.reject(world.pop(), "Fit");
        const auto wait = (*world.queue->next_ready() - world.clock.now_ns()) / second_ns;
        world.clock.advance_to(*world.queue->next_ready());
        return wait;
    };
    std::vector<std::int64_t> waits;
    for (int i = 0; i < 7; ++i) waits.push_back(seconds_of());
    CHECK(waits == std::vector<std::int64_t>{2, 3, 5, 9, 17, 21, 21});
}

TEST_CASE("queue: a rejected group is not taken before its backoff is over, and no event hurries it", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    GroupWorld world({&fit});
    world.group("g");
    world.queue->add(member("a", "g"));
    world.reject(world.pop(), "Fit");
    CHECK(world.queue->backing_off() == 1);
    world.node_appears();
    CHECK(world.queue->pop() == nullptr);
    world.pass(2);
    CHECK(world.pop()->group->members.front()->view.attempts == 2);
}

TEST_CASE("queue: a pod that comes during its group's cycle joins what is left of the group", "[queue]") {
    FakePlugin fit{"Fit"};
    GroupWorld world({&fit});
    world.group("g");
    world.queue->add(member("a", "g"));
    auto group = world.pop();
    world.queue->add(member("late", "g"));
    CHECK(world.queue->pending() == 1);
    CHECK(world.queue->active() == 0);
    world.queue->done("uid-a");
    world.queue->requeue_group(std::move(group), GroupOutcome::Placed);
    CHECK(world.queue->pending() == 0);
    CHECK(world.pop_group() == "late ");
}

TEST_CASE("queue: a group whose PodGroup goes during its cycle has no pods left to try", "[queue]") {
    FakePlugin fit{"Fit"};
    GroupWorld world({&fit});
    world.group("g");
    world.queue->add(member("a", "g"));
    auto group = world.pop();
    world.queue->group_changed(pod_group("g"), nullptr);
    world.reject(std::move(group), "Fit");
    CHECK(world.queue->incomplete() == 1);
    CHECK(world.queue->backing_off() == 0);
}

TEST_CASE("queue: activating one pod of a group makes the group ready", "[queue]") {
    FakePlugin fit{"Fit"};
    GroupWorld world({&fit});
    world.group("g");
    for (const auto *name : {"a", "b"}) world.queue->add(member(name, "g"));
    world.reject(world.pop(), "Fit");
    world.queue->activate(member("b", "g"));
    CHECK(world.queue->active() == 2);
}

TEST_CASE("queue: new profiles keep groups together, and without the gate there are none", "[queue]") {
    FakePlugin sort{"Sort"};
    GroupWorld world({&sort});
    world.group("g");
    for (const auto *name : {"a", "b"}) world.queue->add(member(name, "g"));
    world.queue->use(world.profiles, with_groups());
    CHECK(world.pop_group() == "a b ");
    world.queue->add(member("c", "g"));
    world.queue->use(world.profiles, Settings());
    CHECK(world.pop_all() == "c ");
}

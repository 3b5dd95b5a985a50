// SPDX-License-Identifier: Apache-2.0
#include "pod_groups.h"
#include "queue_world.h"

using namespace berth;
using namespace berth::queue;

namespace {

using plugin::PendingPods;
using Texts = std::vector<std::string>;

constexpr std::uint32_t all = BERTH_PENDING_ACTIVE | BERTH_PENDING_BACKOFF | BERTH_PENDING_UNSCHEDULABLE |
                              BERTH_PENDING_GATED | BERTH_PENDING_GROUP;

std::string name_of_place(std::uint32_t place) {
    switch (place) {
        case BERTH_PENDING_ACTIVE: return "active";
        case BERTH_PENDING_BACKOFF: return "backoff";
        case BERTH_PENDING_UNSCHEDULABLE: return "unschedulable";
        case BERTH_PENDING_GATED: return "gated";
        case BERTH_PENDING_GROUP: return "group";
        default: return "?";
    }
}

/// "name place attempts", and the plugins behind it.
std::string line(const berth_pending_pod &pod) {
    CHECK(pod.struct_size == sizeof pod);
    CHECK((pod.backoff_end_ns != 0) == (pod.place == BERTH_PENDING_BACKOFF));
    auto out = text(pod.pod->name) + " " + name_of_place(pod.place) + " " + std::to_string(pod.pod->attempts);
    for (std::uint64_t i = 0; i < pod.plugins_len; ++i) out += " " + text(pod.plugins[i]);
    return out;
}

/// "group" and its priority behind the name of each pod in these places.
Texts groups_of(const Queue &queue, std::uint32_t places) {
    Texts out;
    CHECK(queue.visit(places, [&](const berth_pending_pod &pod) {
        out.push_back(text(pod.pod->name) + " " + text(pod.group) + " " + std::to_string(pod.group_priority));
        return true;
    }) == PendingPods::Visited::Open);
    return out;
}

/// The first `most` that a visit shows; the rest of the queue is not looked at.
Texts visited(const Queue &queue, std::uint32_t places, std::size_t most = 1000) {
    Texts out;
    CHECK(queue.visit(places, [&](const berth_pending_pod &pod) {
        out.push_back(line(pod));
        return out.size() < most;
    }) == PendingPods::Visited::Open);
    if (most == 1000) CHECK(queue.count(places) == out.size());
    return out;
}

FakePlugin gate(std::string name) {
    FakePlugin fake{std::move(name)};
    fake.pre_enqueue = [](const berth_pod *pod, berth_status *status) {
        if (text(pod->name).starts_with("gated")) answer(status, BERTH_STATUS_UNSCHEDULABLE, "closed");
    };
    return fake;
}

}  // namespace

TEST_CASE("queue: a visit shows each pod with its place, its attempts and the plugins that rejected it", "[queue]") {
    FakePlugin filter = interested("Filter", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    FakePlugin other{"Another"}, closed = gate("Gate");
    QueueWorld world({&filter, &other, &closed});
    CHECK(visited(*world.queue, all).empty());
    for (const auto *name : {"later", "rejected", "broken", "gated", "fresh"}) world.queue->add(plain_pod(name));
    for (int i = 0; i < 3; ++i) {
        auto pod = world.queue->pop();
        const auto current = pod->pod;
        const std::string name(current->name());
        if (name == "broken") world.queue->requeue(std::move(pod), current, {}, {});
        else if (name == "later") world.queue->requeue(std::move(pod), current, {world.plugin("Another")}, {});
        else
            world.queue->requeue(std::move(pod), current, {world.plugin("Filter"), world.plugin("Another")},
                                 {world.plugin("Another")});
    }
    CHECK(visited(*world.queue, all) == Texts{"fresh active 0", "broken backoff 1", "later unschedulable 1 Another",
                                              "rejected unschedulable 1 Another Filter", "gated gated 0 Gate"});
    world.node_appears();  // Filter waits for it
    CHECK(visited(*world.queue, BERTH_PENDING_BACKOFF) ==
          Texts{"rejected backoff 1 Another Filter", "broken backoff 1"});
    CHECK(visited(*world.queue, BERTH_PENDING_GATED | BERTH_PENDING_ACTIVE) ==
          Texts{"fresh active 0", "gated gated 0 Gate"});
    // What is in flight does not wait.
    auto tried = world.queue->pop();
    CHECK(tried->pod->name() == "fresh");
    CHECK(visited(*world.queue, BERTH_PENDING_ACTIVE).empty());
    world.queue->done(tried->pod->uid());
}

TEST_CASE("queue: the first active pod of a visit is the next, and a visit ends when its function has enough",
          "[queue]") {
    FakePlugin sort{"Sort"};
    sort.less = [](const berth_pod *a, const berth_pod *b) { return a->priority > b->priority; };
    QueueWorld world({&sort});
    for (int i = 0; i < 50; ++i)
        world.queue->add(
            plain_pod("p" + std::to_string(i), "",
                      "spec: {priority: " + std::to_string(i * 7 % 50) + ", containers: [{name: c, image: i}]}"));
    while (world.queue->active() > 0) {
        const auto first = visited(*world.queue, all, 1);
        REQUIRE(first.size() == 1);
        const auto next = world.pop_name();
        CHECK(first.front() == next + " active 0");
    }
}

TEST_CASE("queue: pods of a group are where their group is, or wait for it", "[queue]") {
    FakePlugin filter{"Filter"}, closed = gate("Gate");
    QueueWorld world({&filter, &closed}, with_groups());
    for (const auto *name : {"a", "b"}) world.queue->add(member(name, "g"));
    CHECK(visited(*world.queue, all) == Texts{"a group 0", "b group 0"});
    world.queue->group_changed(nullptr, pod_group("g"));
    CHECK(visited(*world.queue, all) == Texts{"a active 0", "b active 0"});
    CHECK(visited(*world.queue, all, 1) == Texts{"a active 0"});
    // One gated pod gates them all, and its gate is each pod's.
    world.queue->add(member("gated", "g"));
    CHECK(visited(*world.queue, all) == Texts{"a gated 0 Gate", "b gated 0 Gate", "gated gated 0 Gate"});
    world.queue->remove(*member("gated", "g"));
    CHECK(visited(*world.queue, BERTH_PENDING_GATED).size() == world.queue->gated());
    world.queue->activate(member("a", "g"));
    // In its cycle those that were rejected wait for its end.
    auto group = world.queue->pop();
    REQUIRE(group);
    REQUIRE(group->group);
    CHECK(visited(*world.queue, all).empty());
    for (auto &one : std::exchange(group->group->members, {})) {
        auto pod = one->pod;
        world.queue->requeue(std::move(one), pod, {world.plugin("Filter")}, {});
    }
    CHECK(visited(*world.queue, all) == Texts{"a group 1 Filter", "b group 1 Filter"});
    world.queue->requeue_group(std::move(group), GroupOutcome::Rejected);
    CHECK(visited(*world.queue, all) == Texts{"a backoff 1 Filter", "b backoff 1 Filter"});
}

TEST_CASE("queue: a pod that waits as one of a group has the group's name and priority", "[queue]") {
    FakePlugin filter{"Filter"};
    const auto group = pod_group("g", "basic: {}}, priority: 7, other: {");
    REQUIRE(group->priority == 7);
    QueueWorld world({&filter}, with_groups());
    world.queue->add(member("a", "g", "priority: 3, "));
    world.queue->add(plain_pod("single"));
    CHECK(groups_of(*world.queue, all) == Texts{"single  0", "a g 0"});
    world.queue->group_changed(nullptr, group);
    CHECK(groups_of(*world.queue, all) == Texts{"a g 7", "single  0"});
    auto popped = world.queue->pop();
    REQUIRE(popped);
    REQUIRE(popped->group);
    auto back = std::move(popped->group->members.front());
    const auto pod = back->pod;
    world.queue->requeue(std::move(back), pod, {world.plugin("Filter")}, {});
    CHECK(groups_of(*world.queue, BERTH_PENDING_GROUP) == Texts{"a g 7"});
    // A release without groups schedules the pods of one alone.
    QueueWorld alone({&filter});
    alone.queue->add(member("a", "g"));
    CHECK(groups_of(*alone.queue, all) == Texts{"a  0"});
}

TEST_CASE("queue: a pod is active at the end of its backoff that a visit shows", "[queue]") {
    FakePlugin filter = interested("Filter", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    QueueWorld world({&filter});
    world.clock.advance_to(start_ns + second_ns / 4);
    world.queue->add(plain_pod("p"));
    world.pop_and_fail();  // an attempt that breaks: it is not taken early
    std::int64_t end = 0;
    world.queue->visit(BERTH_PENDING_BACKOFF, [&](const berth_pending_pod &pod) {
        end = pod.backoff_end_ns;
        return true;
    });
    REQUIRE(end > world.clock.now_ns());
    CHECK(world.queue->next_ready() == end);
    world.clock.advance_to(end - 1);
    CHECK_FALSE(world.queue->pop());
    world.clock.advance_to(end);
    CHECK(world.pop_name() == "p");
}

TEST_CASE("queue: a hidden pod is neither visited nor counted, wherever it waits", "[queue]") {
    FakePlugin filter{"Filter"}, closed = gate("Gate");
    QueueWorld world({&filter, &closed}, with_groups());
    std::vector<model::PodPtr> pods;
    auto add = [&](const model::PodPtr &pod) {
        pods.push_back(pod);
        world.queue->add(pod);
    };
    for (const auto *name : {"rejected", "broken"}) add(plain_pod(name));
    world.pop_and_fail("Filter");
    world.pop_and_fail();
    add(plain_pod("gated"));
    add(plain_pod("active"));
    add(member("lost", "unknown"));
    world.queue->group_changed(nullptr, pod_group("g"));
    for (const auto *name : {"a", "b"}) add(member(name, "g"));
    const auto before = visited(*world.queue, all);
    REQUIRE(before.size() == pods.size());
    for (const auto &pod : pods) {
        const auto version = world.queue->version();
        {
            const Queue::Hidden hidden(*world.queue, *pod);
            auto expected = before;
            std::erase_if(expected,
                          [&](const std::string &of) { return of.starts_with(std::string(pod->name()) + " "); });
            REQUIRE(expected.size() == before.size() - 1);
            CHECK(visited(*world.queue, all) == expected);
            CHECK(world.queue->version() != version);
            for (auto place = BERTH_PENDING_ACTIVE; place <= BERTH_PENDING_GROUP; place <<= 1)
                CHECK(world.queue->count(place) == visited(*world.queue, place).size());
        }
        CHECK(visited(*world.queue, all) == before);
        CHECK(world.queue->version() != version);
    }
    // Another pod of that name waits.
    const auto other = pod_of(
        "{apiVersion: v1, kind: Pod, metadata: {name: active, namespace: default, uid: other}, "
        "spec: {containers: [{name: c, image: i}]}}");
    const Queue::Hidden hidden(*world.queue, *other);
    CHECK(visited(*world.queue, all) == before);
}

TEST_CASE("queue: the version of what waits changes with it", "[queue]") {
    FakePlugin filter{"Filter"};
    QueueWorld world({&filter});
    auto last = world.queue->version();
    auto changed = [&] {
        const auto before = std::exchange(last, world.queue->version());
        return before != last;
    };
    CHECK_FALSE(changed());
    world.queue->add(plain_pod("p"));
    CHECK(changed());
    CHECK(visited(*world.queue, all).size() == 1);
    CHECK_FALSE(changed());
    world.pop_and_fail("Filter");
    CHECK(changed());
    world.queue->activate(plain_pod("p"));
    CHECK(changed());
    world.queue->remove(*plain_pod("p"));
    CHECK(changed());
    CHECK_FALSE(changed());
}

TEST_CASE("queue: a pod is counted where it is, whether a gate opens or closes for it", "[queue]") {
    bool open = true;
    FakePlugin filter{"Filter"}, door{"Door"};
    door.pre_enqueue = [&](const berth_pod *, berth_status *status) {
        if (!open) answer(status, BERTH_STATUS_UNSCHEDULABLE, "closed");
    };
    QueueWorld world({&filter, &door});
    auto counts = [&] {
        CHECK(visited(*world.queue, all).size() == 2);
        return std::pair{visited(*world.queue, BERTH_PENDING_GATED).size(),
                         visited(*world.queue, BERTH_PENDING_UNSCHEDULABLE).size()};
    };
    for (const auto *name : {"a", "b"}) world.queue->add(plain_pod(name));
    for (int i = 0; i < 2; ++i) world.pop_and_fail("Filter");
    CHECK(counts() == std::pair<std::size_t, std::size_t>{0, 2});
    open = false;
    world.queue->activate(plain_pod("a"));  // stays where it is, gated
    CHECK(counts() == std::pair<std::size_t, std::size_t>{1, 1});
    world.queue->activate(plain_pod("b"));
    CHECK(counts() == std::pair<std::size_t, std::size_t>{2, 0});
    open = true;
    world.queue->activate(plain_pod("a"));
    CHECK(counts() == std::pair<std::size_t, std::size_t>{1, 0});
    world.queue->use(world.profiles, {});
    CHECK(counts() == std::pair<std::size_t, std::size_t>{0, 0});
}

TEST_CASE("queue: nothing is visited while the queue changes, and a change ends a visit", "[queue]") {
    QueueWorld *it = nullptr;
    int asked = 0;
    auto closed = [&] {
        if (!it) return;
        ++asked;
        CHECK(it->queue->visit(all, [](const auto &) { return true; }) == PendingPods::Visited::Closed);
        CHECK_FALSE(it->queue->count(all));
        CHECK_FALSE(it->queue->version());
    };
    FakePlugin plugin = interested("Plugin", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    plugin.pre_enqueue = [&](const berth_pod *, berth_status *) { closed(); };
    plugin.less = [&](const berth_pod *a, const berth_pod *b) {
        closed();
        return a->queued_time_ns < b->queued_time_ns;
    };
    plugin.hint = [&](const berth_event *, const berth_pod *) {
        closed();
        return BERTH_HINT_QUEUE;
    };
    QueueWorld world({&plugin});
    for (const auto *name : {"a", "b", "c"}) world.queue->add(plain_pod(name));
    it = &world;
    world.queue->add(plain_pod("d"));
    CHECK(asked > 1);  // PreEnqueue, less
    world.pop_and_fail("Plugin");
    asked = 0;
    world.node_appears();
    CHECK(asked > 0);  // the hint
    for (int i = 0; i < 3; ++i) world.pop_and_fail("Plugin");
    REQUIRE(world.queue->count(BERTH_PENDING_UNSCHEDULABLE) == 3);

    const auto before = world.queue->count(all);
    REQUIRE(before);
    int shown = 0;
    auto activate = [&](const berth_pending_pod &pod) {
        ++shown;
        world.queue->activate(plain_pod(text(pod.pod->name)));
        CHECK(text(pod.pod->namespace_) == "default");  // it still lives
        return true;
    };
    CHECK(world.queue->visit(BERTH_PENDING_UNSCHEDULABLE, activate) == PendingPods::Visited::Changed);
    CHECK(shown == 1);
    CHECK(world.queue->count(all) == before);
}

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
    CHECK(visited(*world.queue, all) == Texts{"fresh active 0", "broken backoff 1", "gated gated 0 Gate",
                                              "later unschedulable 1 Another",
                                              "rejected unschedulable 1 Another Filter"});
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
    config::Configuration configuration;
    configuration.release = *config::Release::of("1.37");
    configuration.schedules_groups = true;
    FakePlugin filter{"Filter"}, closed = gate("Gate");
    QueueWorld world({&filter, &closed}, Settings(configuration));
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

TEST_CASE("queue: nothing is visited while the queue changes, and a change ends a visit", "[queue]") {
    QueueWorld *it = nullptr;
    int asked = 0;
    auto closed = [&] {
        if (!it) return;
        ++asked;
        CHECK(it->queue->visit(all, [](const auto &) { return true; }) == PendingPods::Visited::Closed);
        CHECK_FALSE(it->queue->count(all));
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

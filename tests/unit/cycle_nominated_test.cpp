// SPDX-License-Identifier: Apache-2.0
// Pods that are promised a node: two passes of the filters, and what AddPod is told.
#include "fake_world.h"

using namespace berth;
using model::AttemptResult;
using Names = std::vector<std::string>;

namespace {

/// Lets a node take so many pods, as its columns say.
FakePlugin room_for(std::uint32_t least, std::uint32_t most) {
    FakePlugin fake{"Room"};
    fake.filter_batch = [=](const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int32_t *code) {
        for (std::uint64_t i = 0; i < n; ++i) {
            std::uint32_t pods = nodes->pod_count[slots[i]];
            code[i] = pods >= least && pods <= most ? BERTH_STATUS_SUCCESS : BERTH_STATUS_UNSCHEDULABLE;
        }
    };
    fake.hint = [](const berth_event *, const berth_pod *) { return BERTH_HINT_SKIP; };
    fake.interests = {{"*", BERTH_EVENT_ALL, true}};
    return fake;
}

model::PodPtr prioritized(const std::string &name, int priority, const std::string &nominated = {}) {
    return plain_pod(name, {},
                     "spec: {priority: " + std::to_string(priority) + ", containers: [{name: c, image: i}]}\n" +
                         (nominated.empty() ? "" : "status: {nominatedNodeName: " + nominated + "}"));
}

/// A world in which pod "first", of priority 10, is promised n1 and is held back by a gate of its own.
struct Promised {
    FakePlugin room, gate{"Gate"}, bind = binder();
    bool closed = false;
    std::optional<FakeWorld> world;

    explicit Promised(FakePlugin filter, FakePlugin *more = nullptr) : room(std::move(filter)) {
        // It is let in, so that the promise counts, and fails once.
        gate.permit = [](const berth_pod *pod, berth_status *status) {
            if (text(pod->name) == "first") answer(status, BERTH_STATUS_UNSCHEDULABLE, "later");
            return 0;
        };
        if (more) world.emplace(std::initializer_list<FakePlugin *>{&room, more, &gate, &bind});
        else world.emplace(std::initializer_list<FakePlugin *>{&room, &gate, &bind});
    }

    const model::Decision &add(const model::PodPtr &pod) {
        world->scheduler.observer().pod_added(pod);
        world->settle();
        return world->last();
    }
    /// As if the world had told of it just now.
    void promise(const std::string &node) {
        world->scheduler.observer().pod_added(prioritized("first", 10));
        world->settle();
        world->scheduler.observer().pod_updated(prioritized("first", 10), prioritized("first", 10, node));
    }
};

}  // namespace

TEST_CASE("nominated: a pod does not take what is promised to one that comes first", "[cycle]") {
    Promised p(room_for(0, 0));
    p.world->add_nodes(1);
    p.promise("n1");
    CHECK(p.world->scheduler.nominations().node_of("uid-first") == "n1");
    CHECK(p.add(prioritized("lower", 0)).result == AttemptResult::Unschedulable);
    CHECK(p.world->last().message == "0/1 nodes are available:");
    CHECK(p.world->last().rejected_by == Names{"Room"});
    CHECK(p.add(prioritized("equal", 10)).result == AttemptResult::Unschedulable);
    CHECK(p.add(prioritized("higher", 11)).result == AttemptResult::Scheduled);
}

TEST_CASE("nominated: the node has to take the pod without the promised ones too", "[cycle]") {
    // Only a node with a pod will do, and a promised one may never come.
    Promised p(room_for(1, 9));
    p.world->add_nodes(2);
    p.promise("n1");
    CHECK(p.add(prioritized("lower", 0)).result == AttemptResult::Unschedulable);
    CHECK(p.world->last().feasible_nodes == 0);
}

TEST_CASE("nominated: the promise ends when the pod gets a node, leaves or is promised another", "[cycle]") {
    auto placed_beside = [](const std::function<void(Scheduler &)> &change) {
        Promised p(room_for(0, 0));
        p.world->add_nodes(1);
        p.promise("n1");
        change(p.world->scheduler);
        return p.add(prioritized("lower", 0)).result == AttemptResult::Scheduled;
    };
    CHECK_FALSE(placed_beside([](Scheduler &) {}));
    CHECK(placed_beside([](Scheduler &s) { s.observer().pod_deleted(prioritized("first", 10, "n1")); }));
    CHECK(placed_beside([](Scheduler &s) {
        s.observer().pod_updated(prioritized("first", 10, "n1"), prioritized("first", 10, "n2"));
    }));
    CHECK(placed_beside(
        [](Scheduler &s) { s.observer().pod_updated(prioritized("first", 10, "n1"), prioritized("first", 10)); }));
    CHECK_FALSE(placed_beside([](Scheduler &s) {
        s.observer().pod_updated(prioritized("first", 10, "n1"), prioritized("first", 10, "n1"));
    }));
}

TEST_CASE("nominated: the promise of a gated pod does not count yet", "[cycle]") {
    FakePlugin gate{"Gate"};
    gate.pre_enqueue = [](const berth_pod *pod, berth_status *status) {
        if (text(pod->name) == "first") answer(status, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "closed");
    };
    Promised p(room_for(0, 0), &gate);
    p.world->add_nodes(1);
    p.world->scheduler.observer().pod_added(prioritized("first", 10, "n1"));
    CHECK(p.world->scheduler.nominations().empty());
    CHECK(p.add(prioritized("lower", 0)).result == AttemptResult::Scheduled);
}

TEST_CASE("nominated: what PreFilter knows is told of the pods that come first", "[cycle]") {
    Names said;
    FakePlugin counts{"Counts"};
    counts.pre_filter = [](const berth_nodes *, berth_restrict *, berth_status *) {};
    counts.extension = [&](const std::string &what, const berth_nodes *nodes, berth_status *) {
        said.push_back(what + " of " + std::to_string(nodes->pods->count));
    };
    Promised p(room_for(0, 9), &counts);
    p.world->add_nodes(2);
    p.promise("n2");
    p.add(prioritized("lower", 0));
    CHECK(said == Names{"add first on n2 of 1"});
    p.add(prioritized("higher", 11));
    CHECK(said.size() == 1);

    SECTION("but not if it skipped") {
        counts.pre_filter = [](const berth_nodes *, berth_restrict *, berth_status *status) {
            status->code = BERTH_STATUS_SKIP;
        };
        p.add(prioritized("another", 0));
        CHECK(said.size() == 1);
    }
    SECTION("and its failure is the attempt's") {
        counts.extension = [](const std::string &, const berth_nodes *, berth_status *status) {
            fail_with(status, "lost count");
        };
        CHECK(p.add(prioritized("another", 0)).result == AttemptResult::Error);
        CHECK(p.world->last().message == "running AddPod on PreFilter plugin \"Counts\": lost count");
        CHECK(p.world->last().reason == "SchedulerError");
    }
}

TEST_CASE("nominated: who rejects the promised node is named among those who narrowed the choice", "[cycle]") {
    FakePlugin narrow{"Narrow"}, full{"Full"}, bind = binder();
    narrow.pre_filter = [](const berth_nodes *, berth_restrict *to, berth_status *) {
        const berth_str only = model::to_str("n1");
        plugin::Restrict::of(to)->names(&only, 1);
    };
    full.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"full"}}; };
    FakeWorld world{&narrow, &full, &bind};
    world.add_nodes(3);
    auto message_of = [&](const model::PodPtr &pod) {
        world.scheduler.observer().pod_added(pod);
        world.settle();
        return world.last().message;
    };
    CHECK(message_of(prioritized("free", 0)) ==
          "0/3 nodes are available: 1 full, 2 node(s) didn't satisfy plugin(s) [Narrow].");
    CHECK(message_of(prioritized("promised", 0, "n2")) ==
          "0/3 nodes are available: 1 node(s) didn't satisfy plugin(s) [Full Narrow], 2 full.");
}

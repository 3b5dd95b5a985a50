// SPDX-License-Identifier: Apache-2.0
// What the scheduler makes of the world's events.
#include "fake_world.h"

using namespace berth;
using model::AttemptResult;
using Names = std::vector<std::string>;

namespace {

const std::string one_container = "containers: [{name: c, image: i}]";

/// Rejects everything until told otherwise, and is woken by what `resource` and `actions` say.
struct Closed {
    bool open = false;
    FakePlugin plugin{"Closed"};
    Closed(std::string resource, std::uint64_t actions) {
        plugin.filter = [this](const std::string &) {
            return open ? FilterSays{} : FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"closed"}};
        };
        plugin.interests = {{std::move(resource), actions, false}};
    }
};

}  // namespace

TEST_CASE("scheduler: a pod with a node is placed, whoever placed it, and a finished one is not", "[cycle]") {
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    world.add_nodes(1);
    world.scheduler.observer().pod_added(
        plain_pod("a", {}, "spec: {schedulerName: other, nodeName: n1, " + one_container + "}"));
    world.scheduler.observer().pod_added(
        plain_pod("b", {}, "spec: {nodeName: n1, " + one_container + "}\nstatus: {phase: Succeeded}"));
    world.scheduler.observer().pod_added(plain_pod("c", {}, "spec: {" + one_container + "}\nstatus: {phase: Failed}"));
    world.settle();
    CHECK(world.scheduler.cache().pod_count() == 1);
    CHECK(world.decisions.empty());
}

TEST_CASE("scheduler: a pod of another scheduler is left alone", "[cycle]") {
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    world.add_nodes(1);
    world.scheduler.observer().pod_added(plain_pod("p", {}, "spec: {schedulerName: other, " + one_container + "}"));
    CHECK_FALSE(world.scheduler.schedule_one());
}

TEST_CASE("scheduler: a pod that somebody else places meanwhile leaves the queue", "[cycle]") {
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    world.add_nodes(1);
    auto before = plain_pod("p");
    world.scheduler.observer().pod_added(before);
    world.scheduler.observer().pod_updated(before, plain_pod("p", {}, "spec: {nodeName: n1, " + one_container + "}"));
    CHECK_FALSE(world.scheduler.schedule_one());
    CHECK(world.scheduler.cache().pod_count() == 1);
}

TEST_CASE("scheduler: the watch confirms what was assumed", "[cycle]") {
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    world.add_nodes(1);
    auto before = plain_pod("p");
    world.scheduler.observer().pod_added(before);
    world.settle();
    CHECK(world.scheduler.cache().is_assumed("uid-p"));
    auto after = plain_pod("p", {}, "spec: {nodeName: n1, " + one_container + "}");
    world.scheduler.observer().pod_updated(before, after);
    CHECK_FALSE(world.scheduler.cache().is_assumed("uid-p"));
    CHECK(world.scheduler.cache().pod_count() == 1);
    world.scheduler.observer().pod_deleted(after);
    CHECK(world.scheduler.cache().pod_count() == 0);
}

TEST_CASE("scheduler: a terminating pod is not scheduled", "[cycle]") {
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    world.add_nodes(1);
    world.scheduler.observer().pod_added(plain_pod("p", ", deletionTimestamp: '2026-01-01T00:00:00Z'"));
    CHECK(world.scheduler.schedule_one());
    CHECK_FALSE(world.scheduler.schedule_one());
    CHECK(world.decisions.empty());
}

TEST_CASE("scheduler: a rejected pod is tried again when something changes that its plugin asked for", "[cycle]") {
    Closed closed("AssignedPod", BERTH_EVENT_DELETE);
    FakePlugin bind = binder();
    FakeWorld world({&closed.plugin, &bind});
    world.add_nodes(1);
    auto other = plain_pod("other", {}, "spec: {nodeName: n1, " + one_container + "}");
    world.scheduler.observer().pod_added(other);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    CHECK(world.last().message == "0/1 nodes are available: 1 closed.");
    closed.open = true;
    world.scheduler.observer().node_added(plain_node("n2"));
    world.settle();
    CHECK(world.decisions.size() == 1);
    world.scheduler.observer().pod_deleted(other);
    world.settle();
    CHECK(world.last().result == AttemptResult::Scheduled);
    CHECK(world.last().attempt == 2);
}

TEST_CASE("scheduler: a finished pod frees its node", "[cycle]") {
    Closed closed("AssignedPod", BERTH_EVENT_DELETE);
    FakePlugin bind = binder();
    FakeWorld world({&closed.plugin, &bind});
    world.add_nodes(1);
    auto running = plain_pod("job", {}, "spec: {nodeName: n1, " + one_container + "}\nstatus: {phase: Running}");
    world.scheduler.observer().pod_added(running);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    closed.open = true;
    world.scheduler.observer().pod_updated(
        running, plain_pod("job", {}, "spec: {nodeName: n1, " + one_container + "}\nstatus: {phase: Succeeded}"));
    world.settle();
    CHECK(world.last().result == AttemptResult::Scheduled);
    CHECK(world.scheduler.cache().pod_count() == 1);
}

TEST_CASE("scheduler: a changed node wakes by the facet that changed", "[cycle]") {
    Closed closed("Node", BERTH_EVENT_UPDATE_NODE_LABEL);
    FakePlugin bind = binder();
    FakeWorld world({&closed.plugin, &bind});
    auto plain = plain_node("n1"), noted = plain_node("n1", ", annotations: {a: b}"),
         labelled = plain_node("n1", ", annotations: {a: b}, labels: {c: d}");
    world.scheduler.observer().node_added(plain);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    world.scheduler.observer().node_updated(plain, noted);
    world.settle();
    CHECK(world.decisions.size() == 1);
    world.scheduler.observer().node_updated(noted, labelled);
    world.settle();
    CHECK(world.decisions.size() == 2);
}

TEST_CASE("scheduler: a hint sees the node of the event with its slot", "[cycle]") {
    Closed closed("Node", BERTH_EVENT_ADD);
    Names seen;
    closed.plugin.interests = {{"Node", BERTH_EVENT_ADD, true}};
    closed.plugin.hint = [&](const berth_event *event, const berth_pod *pod) -> std::uint8_t {
        REQUIRE(event->new_node);
        CHECK(event->old_node == nullptr);
        seen.push_back(text(event->new_node->name[0]) + " at " + std::to_string(event->node_slot) + " for " +
                       text(pod->name));
        return BERTH_HINT_SKIP;
    };
    FakeWorld world({&closed.plugin});
    world.add_nodes(1);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    world.scheduler.observer().node_added(plain_node("n2"));
    CHECK(seen == Names{"n2 at 1 for p"});
}

TEST_CASE("scheduler: a pod that gives up its nominated node wakes those that are not more important", "[cycle]") {
    Closed closed("AssignedPod", BERTH_EVENT_DELETE);
    FakeWorld world({&closed.plugin});
    world.add_nodes(1);
    auto pod = [&](const std::string &name, int priority, const std::string &status = "") {
        return plain_pod(name, {},
                         "spec: {priority: " + std::to_string(priority) + ", " + one_container + "}" + status);
    };
    auto nominated = pod("nominated", 5, "\nstatus: {nominatedNodeName: n1}");
    world.scheduler.observer().pod_added(nominated);
    world.scheduler.observer().pod_added(pod("less", 1));
    world.scheduler.observer().pod_added(pod("more", 9));
    world.settle();
    world.decisions.clear();
    world.pass_seconds(2);
    world.scheduler.observer().pod_deleted(nominated);
    world.settle();
    REQUIRE(world.decisions.size() == 1);
    CHECK(world.last().pod.name == "less");
}

TEST_CASE("scheduler: a pod that is deleted while its attempt fails does not come back", "[cycle]") {
    FakePlugin bind{"Binder"};
    FakeWorld *current = nullptr;
    bind.bind = [&](const berth_pod *, berth_status *status, const berth_done *) {
        current->scheduler.observer().pod_deleted(plain_pod("p"));
        fail_with(status, "404");
    };
    FakeWorld world({&bind});
    current = &world;
    world.add_nodes(1);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    CHECK(world.last().message == "running Bind plugin \"Binder\": 404");
    CHECK_FALSE(world.scheduler.next_wake());
    CHECK(world.scheduler.cache().pod_count() == 0);
}

TEST_CASE("scheduler: a gated pod is reported once and scheduled when its gates are gone", "[cycle]") {
    FakePlugin gates{"Gates"}, bind = binder();
    gates.pre_enqueue = [](const berth_pod *pod, berth_status *status) {
        if (pod->labels_len == 0) answer(status, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "waiting for gates");
    };
    gates.interests = {{"Pod", BERTH_EVENT_UPDATE_POD_LABEL, false}};
    FakeWorld world({&gates, &bind});
    world.add_nodes(1);
    auto before = plain_pod("p");
    world.scheduler.observer().pod_added(before);
    world.settle();
    REQUIRE(world.decisions.size() == 1);
    CHECK(world.last().result == AttemptResult::Gated);
    CHECK(world.last().phase == "PreEnqueue");
    CHECK(world.last().message == "waiting for gates");
    CHECK(world.last().rejected_by == Names{"Gates"});
    CHECK(world.last().attempt == 0);
    world.scheduler.observer().pod_updated(before, plain_pod("p", ", labels: {go: now}"));
    world.settle();
    CHECK(world.last().result == AttemptResult::Scheduled);
}

TEST_CASE("scheduler: whoever tells the world hears of each failure once", "[cycle]") {
    Closed closed("Node", BERTH_EVENT_ADD);
    FakeWorld world({&closed.plugin});
    Names heard;
    world.scheduler.on_failure([&](const model::Pod &pod, const model::Decision &decision) {
        heard.push_back(std::string(pod.name()) + ": " + decision.message);
    });
    world.add_nodes(2);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    CHECK(heard == Names{"p: 0/2 nodes are available: 2 closed."});
}

TEST_CASE("scheduler: without detail neither tables nor events are made", "[cycle]") {
    Closed closed("Node", BERTH_EVENT_ADD);
    FakeWorld world({&closed.plugin});
    world.wanted = model::Detail::Summary;
    world.add_nodes(2);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    CHECK(world.events.empty());
    CHECK(world.last().nodes.empty());
    CHECK(world.last().evaluated_nodes == 2);
}

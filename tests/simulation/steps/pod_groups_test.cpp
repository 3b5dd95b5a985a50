// SPDX-License-Identifier: Apache-2.0
// Pod groups with the default profile of 1.37, under the strict checks.
#include "running_world.h"

using namespace running_world;

namespace {

sim::Input empty() {
    sim::Input out;
    out.kinds = {model::pod_group_kind()};
    return out;
}

struct Groups {
    RunningWorld world{"profiles: [{schedulerName: default-scheduler}]\n",
                       empty(),
                       {},
                       {},
                       *config::Release::of("1.37"),
                       "GenericWorkload=true"};

    void put(const model::Kind &kind, const std::string &yaml) {
        CHECK(world.world().store().put(kind, *tree_of(yaml)));
    }
    void node(const std::string &name, int cpu) {
        CHECK(world.world().store().put_node(*tree_of("{apiVersion: v1, kind: Node, metadata: {name: " + name +
                                                      "}, status: {allocatable: {cpu: '" + std::to_string(cpu) +
                                                      "', memory: 8Gi, pods: '10'}}}")));
    }
    void group(const std::string &name, const std::string &policy) {
        put(model::pod_group_kind(),
            "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: "
            "default, name: " +
                name + "}, spec: {schedulingPolicy: {" + policy + "}}}");
    }
    void pods(const std::string &group, std::initializer_list<const char *> names) {
        for (const auto *name : names)
            put(sim::pod_kind, "{apiVersion: v1, kind: Pod, metadata: {namespace: default, name: " + std::string(name) +
                                   ", uid: u-" + name + "}, spec: {schedulingGroup: {podGroupName: " + group +
                                   "}, containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}}");
    }
    /// Lets time pass, and makes the attempts that are due.
    void pass(std::int64_t seconds) {
        const auto end = world.clock().now_ns() + seconds * 1'000'000'000;
        for (;;) {
            bool any = world.clock().run();
            while (world.scheduler.schedule_one()) any = true, world.clock().run();
            if (any) continue;
            const auto next = std::min(world.scheduler.next_wake().value_or(INT64_MAX),
                                       world.clock().next_timer().value_or(INT64_MAX));
            if (next > end) break;
            world.clock().advance_to(next);
        }
        world.clock().advance_to(end);
    }
    /// The condition of a group: "False Unschedulable: …".
    std::string condition(const std::string &name) {
        const auto tree = world.world().store().find(model::pod_group_kind(), "default/" + name);
        const auto of = tree->value()["status"]["conditions"].at(0);
        return std::string(of["status"].string()) + " " + std::string(of["reason"].string()) + ": " +
               std::string(of["message"].string());
    }
};

}  // namespace

TEST_CASE("pod groups: a gang that fits is placed, with its condition", "[scheduler]") {
    Groups groups;
    groups.node("n", 3);
    groups.group("g", "gang: {minCount: 3}");
    groups.pods("g", {"a", "b"});
    groups.pass(1);
    CHECK(groups.world.placed() == 0);
    CHECK(groups.world.message("a") == "waiting for minCount pods from a gang to appear in scheduling queue");
    groups.pods("g", {"c"});
    groups.pass(1);
    CHECK(groups.world.placed() == 3);
    CHECK(groups.condition("g") == "True Scheduled: ");
}

TEST_CASE("pod groups: a gang that does not fit takes nothing, until there is room for all of it", "[scheduler]") {
    Groups groups;
    groups.node("n", 1);
    groups.group("g", "gang: {minCount: 2}");
    groups.pods("g", {"a", "b"});
    groups.pass(1);
    CHECK(groups.world.placed() == 0);
    const std::string why = "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, ";
    CHECK(groups.world.message("a") == "pod group is unschedulable, " + why);
    CHECK(groups.world.message("b") == "0/1 nodes are available: 1 Insufficient cpu.");
    CHECK(groups.condition("g") == "False Unschedulable: " + why);
    groups.node("m", 1);
    groups.pass(30);
    CHECK(groups.world.placed() == 2);
    CHECK(groups.condition("g") == "True Scheduled: ");
}

TEST_CASE("pod groups: pods wait for a PodGroup that comes later, and a late pod joins its gang", "[scheduler]") {
    Groups groups;
    groups.node("n", 4);
    groups.pods("g", {"a", "b"});
    groups.pass(5);
    CHECK(groups.world.placed() == 0);
    groups.group("g", "gang: {minCount: 2}");
    groups.pass(1);
    CHECK(groups.world.placed() == 2);
    groups.pods("g", {"late"});
    groups.pass(1);
    CHECK(groups.world.placed() == 3);
}

TEST_CASE("pod groups: of a basic group those pods are placed that fit, and the others when they do", "[scheduler]") {
    Groups groups;
    groups.node("n", 1);
    groups.group("g", "basic: {}");
    groups.pods("g", {"a", "b"});
    groups.pass(1);
    CHECK(groups.world.placed() == 1);
    CHECK(groups.condition("g") == "True Scheduled: ");
    groups.node("m", 1);
    groups.pass(60);
    CHECK(groups.world.placed() == 2);
    CHECK(groups.condition("g") == "True Scheduled: ");
}

// SPDX-License-Identifier: Apache-2.0
#include "running_world.h"

using namespace running_world;

namespace {

std::string limit(const std::string &args) {
    return "profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {enabled: [{name: MaxPods}]}, "
           "postFilter: {disabled: [{name: '*'}]}}, pluginConfig: [{name: MaxPods, args: {" +
           args + "}}]}]\n";
}

sim::Input three_pods() {
    sim::Input input;
    input.nodes = {node("n")};
    input.pods = {pod("a"), pod("b"), pod("c")};
    return input;
}

}  // namespace

TEST_CASE("MaxPods: a deleted pod makes room, and the one that waits takes it", "[sim]") {
    RunningWorld world(limit("maxPods: 2, message: 'full: {current} of {max}'"), three_pods());
    CHECK(world.placed() == 2);
    CHECK(world.node_of("c").empty());
    CHECK(world.message("c") == "0/1 nodes are available: full: 2 of 2.");

    world.scheduler.observer().pod_deleted(world.stored("a"));
    world.run();
    CHECK(world.node_of("c") == "n");
}

TEST_CASE("MaxPods: a pod that begins to terminate makes room", "[sim]") {
    RunningWorld world(limit("maxPods: 2"), three_pods());
    auto before = world.stored("a");
    auto after =
        pod("a", "deletionTimestamp: '2026-01-01T00:00:00Z', uid: " + std::string(before->uid()) + ",", "nodeName: n,");
    world.scheduler.observer().pod_updated(before, after);
    world.run();
    CHECK(world.node_of("c") == "n");
}

TEST_CASE("MaxPods: a finished pod makes room", "[sim]") {
    RunningWorld world(limit("maxPods: 2"), three_pods());
    auto before = world.stored("a");
    auto after = pod("a", "uid: " + std::string(before->uid()) + ",", "nodeName: n,", ", status: {phase: Succeeded}");
    world.scheduler.observer().pod_updated(before, after);
    world.run();
    CHECK(world.node_of("c") == "n");
}

TEST_CASE("MaxPods: a pod of another namespace that goes wakes nobody", "[sim]") {
    auto input = three_pods();
    input.pods.push_back(pod("x", "namespace: other,", "nodeName: n,"));
    RunningWorld world(limit("maxPods: 2"), input);
    auto attempts = world.sink.last.at("default/c").attempt;
    world.scheduler.observer().pod_deleted(pod("x", "namespace: other,", "nodeName: n,"));
    world.run();
    CHECK(world.node_of("c").empty());
    CHECK(world.sink.last.at("default/c").attempt == attempts);
}

TEST_CASE("MaxPods: pods that were placed before count, terminating and finished ones do not", "[sim]") {
    sim::Input input;
    input.nodes = {node("n")};
    input.pods = {pod("old", "", "nodeName: n,"),
                  pod("going", "deletionTimestamp: '2026-01-01T00:00:00Z',", "nodeName: n,"), pod("a"), pod("b")};
    RunningWorld world(limit("maxPods: 2"), input);
    CHECK(world.node_of("a") == "n");
    CHECK(world.node_of("b").empty());
}

TEST_CASE("MaxPods: the scope says which pods count", "[sim]") {
    sim::Input input;
    input.nodes = {node("n")};
    input.pods = {pod("theirs", "namespace: other,", "nodeName: n,"),
                  pod("foreign", "namespace: other,", "nodeName: n, schedulerName: another,"), pod("a"), pod("b")};
    auto placed = [&](const std::string &args) {
        RunningWorld world(limit(args), input);
        return world.placed() - 2;
    };
    CHECK(placed("maxPods: 3") == 2);
    CHECK(placed("maxPods: 3, scope: Profile") == 2);
    CHECK(placed("maxPods: 2, scope: Profile") == 1);
    CHECK(placed("maxPods: 3, scope: Cluster") == 1);
    CHECK(placed("maxPods: 0") == 0);
}

TEST_CASE("MaxPods: a selector limits those that it selects and nobody else", "[sim]") {
    sim::Input input;
    input.nodes = {node("n")};
    auto labelled = [](const std::string &name, const std::string &ns) {
        return pod(name, "namespace: " + ns + ", labels: {tier: batch},");
    };
    input.pods = {labelled("a", "one"), labelled("b", "two"), pod("free"), labelled("c", "one")};
    const std::string selector =
        "maxPods: 1, selector: {matchExpressions: [{key: tier, operator: In, values: [batch]}]}";
    {
        RunningWorld world(limit(selector), input);
        CHECK(world.placed() == 2);
        CHECK(world.node_of("free") == "n");
    }
    RunningWorld world(limit(selector + ", scope: Namespace"), input);
    CHECK(world.placed() == 3);
}

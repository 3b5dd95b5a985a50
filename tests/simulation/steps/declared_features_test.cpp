// SPDX-License-Identifier: Apache-2.0

// NodeDeclaredFeatures: what a pod's spec asks of a node's status.declaredFeatures.

#include "running_world.h"

using namespace running_world;

namespace {

model::NodePtr with_features(const std::string &features) {
    return node_of(
        "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: '4', memory: 8Gi, "
        "pods: '10'}, declaredFeatures: [" +
        features + "]}}");
}
model::PodPtr restarting(const std::string &where) {
    return pod("p", "uid: p1,",
               where + ": [{name: i, image: i, restartPolicyRules: [{action: RestartAllContainers}]}],");
}

struct World {
    model::NodePtr node;
    std::unique_ptr<RunningWorld> world;

    World(const std::string &features, model::PodPtr p) : node(with_features(features)) {
        sim::Input input;
        input.nodes = {node};
        input.pods = {std::move(p)};
        world = std::make_unique<RunningWorld>("profiles: [{schedulerName: default-scheduler}]\n", input);
    }
    std::string at() const { return world->node_of("p"); }
    bool declares(const std::string &features) {
        auto before = std::exchange(node, with_features(features));
        auto attempts = world->sink.last.at("default/p").attempt;
        world->scheduler.observer().node_updated(before, node);
        world->run();
        return world->sink.last.at("default/p").attempt > attempts;
    }
};

}  // namespace

TEST_CASE("NodeDeclaredFeatures: a pod that asks for none goes anywhere", "[sim]") {
    CHECK(World("", pod("p")).at() == "n");
    CHECK(World("", pod("p", "", "hostNetwork: true,")).at() == "n");
    CHECK(World("", pod("p", "", "hostNetwork: true, hostUsers: true,")).at() == "n");
    CHECK(World("", pod("p", "", "hostUsers: false,")).at() == "n");
}

TEST_CASE("NodeDeclaredFeatures: rules that restart all containers, and user namespaces on the host's network",
          "[sim]") {
    auto refused = [](const World &w) {
        CHECK(w.at().empty());
        CHECK(w.world->message("p").starts_with(
            "0/1 nodes are available: 1 node(s) didn't match Pod's required features."));
    };
    refused(World("", restarting("initContainers")));
    refused(World("UserNamespacesHostNetworkSupport", restarting("initContainers")));
    CHECK(World("A, RestartAllContainersOnContainerExits", restarting("initContainers")).at() == "n");
    auto users = pod("p", "", "hostNetwork: true, hostUsers: false,");
    refused(World("RestartAllContainersOnContainerExits", users));
    CHECK(World("UserNamespacesHostNetworkSupport, Z", users).at() == "n");
    // A list out of order is read as upstream reads it.
    refused(World("Z, UserNamespacesHostNetworkSupport", users));
}

TEST_CASE("NodeDeclaredFeatures: a node's new features wake the pod, the same ones do not", "[sim]") {
    World w("A", restarting("initContainers"));
    CHECK_FALSE(w.declares("A"));
    CHECK(w.declares("A, B"));
    CHECK(w.at().empty());
    CHECK(w.declares("RestartAllContainersOnContainerExits"));
    CHECK(w.at() == "n");
}

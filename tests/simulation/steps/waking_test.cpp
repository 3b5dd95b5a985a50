// SPDX-License-Identifier: Apache-2.0

// Which event wakes a pod that a default plugin rejected, and which does not (kube-scheduler's queueing hints).

#include "running_world.h"

using namespace running_world;

namespace {

/// A node of 4 CPUs; `more` is further fields in flow style, each with a comma behind.
model::NodePtr berth_node(const std::string &spec = "", const std::string &meta = "",
                          const std::string &allocatable = "cpu: '4'") {
    return node_of("{apiVersion: v1, kind: Node, metadata: {" + meta + "name: n}, spec: {" + spec +
                   "}, status: {allocatable: {" + allocatable + ", memory: 8Gi, pods: '10'}}}");
}

/// One pod, and a node that it does not fit; the world without change, ready for an event.
struct Waiting {
    sim::Input input;
    std::unique_ptr<RunningWorld> world;
    model::NodePtr node;

    Waiting(model::NodePtr n, model::PodPtr p, std::vector<model::PodPtr> others = {},
            std::vector<model::NodePtr> more_nodes = {})
        : node(std::move(n)) {
        input.nodes = std::move(more_nodes);
        if (node) input.nodes.push_back(node);
        input.pods = std::move(others);
        input.pods.push_back(std::move(p));
        world = std::make_unique<RunningWorld>("profiles: [{schedulerName: default-scheduler}]\n", input);
        REQUIRE(world->node_of("p").empty());
    }
    /// Was the pod tried again?
    bool woken_by(const std::function<void(Scheduler &)> &event) {
        auto &d = world->sink.last;
        auto before = d.contains("default/p") ? d.at("default/p").attempt : 0;
        event(world->scheduler);
        world->run();
        return d.at("default/p").attempt > before;
    }
    bool woken_by_node(const model::NodePtr &after) {
        auto before = std::exchange(node, after);
        return woken_by([&](Scheduler &s) { s.observer().node_updated(before, after); });
    }
};

model::PodPtr wants_cpu(const std::string &name, const std::string &cpu, const std::string &where = "",
                        const std::string &uid = "") {
    return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + (uid.empty() ? "" : ", uid: " + uid) +
                  "}, spec: {" + where + " containers: [{name: c, image: i, resources: {requests: {cpu: " + cpu +
                  "}}}]}}");
}

}  // namespace

TEST_CASE("waking: NodeUnschedulable, when the node is uncordoned, not when its labels change", "[sim]") {
    Waiting w(berth_node("unschedulable: true"), pod("p"));
    CHECK_FALSE(w.woken_by_node(berth_node("unschedulable: true", "labels: {a: b}, ")));
    auto other = node_of("{apiVersion: v1, kind: Node, metadata: {name: m}, spec: {unschedulable: true}}");
    CHECK_FALSE(w.woken_by([&](Scheduler &s) { s.observer().node_added(other); }));
    CHECK(w.woken_by_node(berth_node()));
    CHECK(w.world->node_of("p") == "n");
}

TEST_CASE("waking: TaintToleration, when the last untolerated taint goes", "[sim]") {
    const std::string a = "{key: a, effect: NoSchedule}", b = "{key: b, effect: NoExecute}";
    Waiting w(berth_node("taints: [" + a + ", " + b + "]"), pod("p"));
    CHECK_FALSE(w.woken_by_node(berth_node("taints: [" + a + "]")));
    CHECK(w.woken_by_node(berth_node("taints: [{key: a, effect: PreferNoSchedule}]")));
    CHECK(w.world->node_of("p") == "n");
}

TEST_CASE("waking: TaintToleration, when the pod itself gets a toleration", "[sim]") {
    Waiting w(berth_node("taints: [{key: a, effect: NoSchedule}]"), pod("p"));
    auto before = w.world->stored("p");
    auto uid = "uid: " + std::string(before->uid()) + ", resourceVersion: '2',";
    CHECK(w.woken_by(
        [&](Scheduler &s) { s.observer().pod_updated(before, pod("p", uid, "tolerations: [{operator: Exists}],")); }));
}

TEST_CASE("waking: NodeAffinity, when the node begins to match, not when it stays as it is", "[sim]") {
    Waiting w(berth_node(), pod("p", "", "nodeSelector: {disk: ssd},"));
    CHECK_FALSE(w.woken_by_node(berth_node("", "labels: {disk: hdd}, ")));
    CHECK(w.woken_by_node(berth_node("", "labels: {disk: ssd}, ")));
    CHECK(w.world->node_of("p") == "n");
}

TEST_CASE("waking: NodeAffinity, by any change of labels when a term cannot be parsed", "[sim]") {
    // That no term matches is then no answer, as upstream takes it.
    auto waiting = [](const std::string &more, const std::string &value) {
        return Waiting(berth_node(),
                       pod("p", "",
                           "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                           "{nodeSelectorTerms: [{matchExpressions: [" +
                               more + "{key: gen, operator: Gt, values: [" + value +
                               "]}]}, {matchExpressions: [{key: disk, operator: In, values: [ssd]}]}]}}},"));
    };
    std::string very_much;  // so that the pod is read anew for each event
    for (int i = 0; i < 300; ++i) very_much += "{key: k" + std::to_string(i) + ", operator: DoesNotExist}, ";
    for (const auto &more : {std::string(), very_much}) {
        CHECK_FALSE(waiting(more, "'5'").woken_by_node(berth_node("", "labels: {disk: hdd}, ")));
        auto w = waiting(more, "many");
        CHECK(w.woken_by_node(berth_node("", "labels: {disk: hdd}, ")));
        CHECK(w.world->node_of("p").empty());
        CHECK(w.woken_by_node(berth_node("", "labels: {disk: ssd}, ")));
        CHECK(w.world->node_of("p") == "n");
    }
}

TEST_CASE("waking: NodeResourcesFit, when a node grows in what the pod asks for", "[sim]") {
    Waiting w(berth_node("", "", "cpu: '2'"), wants_cpu("p", "3"));
    CHECK_FALSE(w.woken_by_node(berth_node("", "", "cpu: '2', ephemeral-storage: 9Gi")));
    CHECK_FALSE(w.woken_by_node(berth_node("", "", "cpu: 2500m")));
    CHECK(w.woken_by_node(berth_node()));
    CHECK(w.world->node_of("p") == "n");
}

TEST_CASE("waking: NodeResourcesFit, when a node grows in an extended resource that the pod asks for", "[sim]") {
    auto with_gpus = [](const std::string &more) { return berth_node("", "", "cpu: '4'" + more); };
    Waiting w(with_gpus(""),
              pod_of("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i, "
                     "resources: {requests: {example.com/gpu: 2}}}]}}"));
    CHECK_FALSE(w.woken_by_node(with_gpus(", example.com/gpu: '1'")));
    CHECK_FALSE(w.woken_by_node(with_gpus(", example.com/gpu: '1', example.com/disk: '4'")));
    CHECK(w.woken_by_node(with_gpus(", example.com/gpu: '2'")));
    CHECK(w.world->node_of("p") == "n");
}

TEST_CASE("waking: NodeResourcesFit, when a node comes that would hold the pod", "[sim]") {
    Waiting w(berth_node("", "", "cpu: '2'"), wants_cpu("p", "3"));
    auto named = [](const std::string &name, const std::string &cpu) {
        return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name + "}, status: {allocatable: {cpu: '" +
                       cpu + "', memory: 8Gi, pods: '10'}}}");
    };
    CHECK_FALSE(w.woken_by([&](Scheduler &s) { s.observer().node_added(named("small", "1")); }));
    CHECK(w.woken_by([&](Scheduler &s) { s.observer().node_added(named("large", "8")); }));
    CHECK(w.world->node_of("p") == "large");
}

TEST_CASE("waking: NodeResourcesFit, when a placed pod is deleted or asks for less", "[sim]") {
    Waiting w(berth_node(), wants_cpu("p", "3"),
              {wants_cpu("q", "2", "nodeName: n,", "q1"), pod("idle", "uid: i1,", "nodeName: n,")});
    auto q = wants_cpu("q", "2", "nodeName: n,", "q1");
    SECTION("deleted") {
        CHECK(w.woken_by([&](Scheduler &s) { s.observer().pod_deleted(q); }));
        CHECK(w.world->node_of("p") == "n");
    }
    SECTION("scaled down") {
        CHECK(
            w.woken_by([&](Scheduler &s) { s.observer().pod_updated(q, wants_cpu("q", "1", "nodeName: n,", "q1")); }));
        CHECK(w.world->node_of("p") == "n");
    }
    SECTION("only its labels change") {
        auto labelled = pod("idle", "uid: i1, labels: {a: b},", "nodeName: n,");
        CHECK_FALSE(w.woken_by(
            [&](Scheduler &s) { s.observer().pod_updated(pod("idle", "uid: i1,", "nodeName: n,"), labelled); }));
    }
}

TEST_CASE("waking: NodePorts, when a pod with a port in common goes, not when another goes", "[sim]") {
    auto with_port = [](const std::string &name, int port, const std::string &where) {
        return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", uid: u-" + name + "}, spec: {" +
                      where + " containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: " +
                      std::to_string(port) + "}]}]}}");
    };
    auto holder = with_port("holder", 80, "nodeName: n,"), other = with_port("other", 81, "nodeName: n,");
    Waiting w(berth_node(), with_port("p", 80, ""), {holder, other});
    CHECK(w.world->message("p") ==
          "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. no new claims to "
          "deallocate, preemption: 0/1 nodes "
          "are available: 1 No preemption victims found for incoming pod.");
    CHECK_FALSE(w.woken_by([&](Scheduler &s) { s.observer().pod_deleted(other); }));
    auto nowhere = with_port("nowhere", 80, "schedulerName: x,");
    w.woken_by([&](Scheduler &s) { s.observer().pod_added(nowhere); });
    CHECK_FALSE(w.woken_by([&](Scheduler &s) { s.observer().pod_deleted(nowhere); }));
    CHECK(w.woken_by([&](Scheduler &s) { s.observer().pod_deleted(holder); }));
    CHECK(w.world->node_of("p") == "n");
}

TEST_CASE("waking: NodeResourcesFit, when a placed pod asks for less of an extended resource", "[sim]") {
    auto wants = [](const std::string &name, int gpus, const std::string &where) {
        return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", uid: u-" + name + "}, spec: {" +
                      where + " containers: [{name: c, image: i, resources: {requests: {example.com/gpu: " +
                      std::to_string(gpus) + "}}}]}}");
    };
    auto q = wants("q", 1, "nodeName: n,");
    Waiting w(berth_node("", "", "cpu: '4', example.com/gpu: '2'"), wants("p", 2, ""), {q});
    CHECK_FALSE(
        w.woken_by([&](Scheduler &s) { s.observer().pod_updated(q, wants("q", 1, "nodeName: n, hostname: q,")); }));
    CHECK(w.woken_by([&](Scheduler &s) { s.observer().pod_updated(q, wants("q", 0, "nodeName: n,")); }));
    CHECK(w.world->node_of("p") == "n");
}

TEST_CASE("waking: SchedulingGates, when the last gate goes and not before", "[sim]") {
    auto gated = [](const std::string &gates, const std::string &uid) {
        return pod("p", "uid: " + uid + ", resourceVersion: '" + std::to_string(gates.size()) + "',",
                   "schedulingGates: [" + gates + "],");
    };
    Waiting w(berth_node(), gated("{name: a}, {name: b}", "g1"));
    const auto &d = w.world->sink.last.at("default/p");
    CHECK(d.result == model::AttemptResult::Gated);
    CHECK(d.message == "waiting for scheduling gates: [a b]");
    CHECK_FALSE(w.woken_by([&](Scheduler &s) {
        s.observer().pod_updated(gated("{name: a}, {name: b}", "g1"), gated("{name: a}", "g1"));
    }));
    CHECK(w.woken_by([&](Scheduler &s) { s.observer().pod_updated(gated("{name: a}", "g1"), gated("", "g1")); }));
    CHECK(w.world->sink.last.at("default/p").result == model::AttemptResult::Scheduled);
}

TEST_CASE("waking: nothing happens without an event", "[sim]") {
    Waiting w(berth_node("", "", "cpu: '2'"), wants_cpu("p", "3"));
    CHECK_FALSE(w.woken_by([](Scheduler &) {}));
}

TEST_CASE("waking: PodTopologySpread, when a node leaves its domain, though that be the one of no name", "[sim]") {
    auto domain = [](const std::string &rack) { return berth_node("", "labels: {rack: " + rack + "},"); };
    auto waiting = [&](const std::string &rack) {
        return Waiting(domain(rack),
                       pod("p", "labels: {app: a},",
                           "topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: "
                           "DoNotSchedule, labelSelector: {matchLabels: {app: a}}}],"),
                       {pod("o", "labels: {app: a}, uid: u-o,", "nodeName: n,")},
                       {node_of("{apiVersion: v1, kind: Node, metadata: {name: m, labels: {rack: b}}, spec: "
                                "{unschedulable: true}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}")});
    };
    CHECK(waiting("''").woken_by_node(berth_node()));
    CHECK(waiting("a").woken_by_node(berth_node()));
    CHECK(waiting("a").woken_by_node(domain("c")));
    CHECK_FALSE(waiting("''").woken_by_node(domain("''")));
}

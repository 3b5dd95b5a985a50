// SPDX-License-Identifier: Apache-2.0
#include "fake_plugin.h"
#include "queue/event.h"

using namespace berth;
using namespace berth::queue;

namespace {

model::NodePtr node_with(const std::string &spec, const std::string &status, const std::string &meta = "") {
    return node_of("{apiVersion: v1, kind: Node, metadata: {name: n" + meta + "}, spec: {" + spec + "}, status: {" +
                   status + "}}");
}

std::vector<std::uint64_t> actions(const std::vector<Event> &events) {
    std::vector<std::uint64_t> out;
    for (const auto &event : events) out.push_back(event.action);
    return out;
}

using Actions = std::vector<std::uint64_t>;

// As 1.36, unless a test says otherwise.
std::vector<Event> node_events(const model::NodePtr &before, const model::NodePtr &after) {
    return queue::node_events(before, after, false);
}
std::vector<Event> pod_events(const model::PodPtr &before, const model::PodPtr &after) {
    return queue::pod_events(before, after, false);
}

}  // namespace

TEST_CASE("event: an interest covers events that are as specific as it is", "[queue]") {
    Event label{resource_node, BERTH_EVENT_UPDATE_NODE_LABEL, {}, {}, {}, {}};
    CHECK(matches("Node", BERTH_EVENT_UPDATE_NODE_LABEL, label));
    CHECK(matches("Node", BERTH_EVENT_UPDATE, label));
    CHECK(matches("*", BERTH_EVENT_ALL, label));
    CHECK_FALSE(matches("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_TAINT, label));
    CHECK_FALSE(matches("Pod", BERTH_EVENT_UPDATE, label));
    Event any_update{resource_assigned_pod, BERTH_EVENT_UPDATE, {}, {}, {}, {}};
    CHECK_FALSE(matches("Pod", BERTH_EVENT_UPDATE_POD_LABEL, any_update));
    CHECK(matches("Pod", BERTH_EVENT_UPDATE, any_update));
}

TEST_CASE("event: an interest in any update covers updates that have no name yet", "[queue]") {
    // What a library of these headers was compiled with, and an action of a later host.
    for (int bit = 13; bit < 64; ++bit) {
        Event later{resource_node, std::uint64_t{1} << bit, {}, {}, {}, {}};
        CHECK(matches("Node", BERTH_EVENT_UPDATE, later));
        CHECK(matches("*", BERTH_EVENT_ALL, later));
        CHECK_FALSE(matches("Node", BERTH_EVENT_ADD | BERTH_EVENT_DELETE | BERTH_EVENT_UPDATE_NODE_LABEL, later));
    }
    Event any_update{"widgets.v1.example.com", BERTH_EVENT_UPDATE, {}, {}, {}, {}};
    CHECK(matches("widgets.v1.example.com", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE, any_update));
}

TEST_CASE("event: actions are named, and those of a later library passed over", "[queue]") {
    using Names = std::vector<std::string_view>;
    CHECK(action_names(BERTH_EVENT_ALL) == Names{"All"});
    CHECK(action_names(BERTH_EVENT_DELETE | BERTH_EVENT_UPDATE) == Names{"Delete", "Update"});
    CHECK(action_names(BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_POD_LABEL | std::uint64_t{1} << 63) ==
          Names{"Add", "UpdatePodLabel"});
}

TEST_CASE("event: an interest in Pod covers assigned and unscheduled ones, one in AssignedPod does not", "[queue]") {
    Event assigned{resource_assigned_pod, BERTH_EVENT_DELETE, {}, {}, {}, {}};
    Event unscheduled{resource_pod, BERTH_EVENT_DELETE, {}, {}, {}, {}};
    CHECK(matches("Pod", BERTH_EVENT_DELETE, assigned));
    CHECK(matches("Pod", BERTH_EVENT_DELETE, unscheduled));
    CHECK(matches("AssignedPod", BERTH_EVENT_DELETE, assigned));
    CHECK_FALSE(matches("AssignedPod", BERTH_EVENT_DELETE, unscheduled));
}

TEST_CASE("event: each changed facet of a node is an event, and heartbeats are none", "[queue]") {
    auto base = node_with("unschedulable: true", "conditions: [{type: Ready, status: 'True', lastHeartbeatTime: a}]");
    CHECK(node_events(base, base).empty());
    auto beat = node_with("unschedulable: true", "conditions: [{type: Ready, status: 'True', lastHeartbeatTime: b}]");
    CHECK(node_events(base, beat).empty());
    auto all = node_with("taints: [{key: k, effect: NoSchedule}]",
                         "conditions: [{type: Ready, status: 'False'}], allocatable: {cpu: 1}, declaredFeatures: [f]",
                         ", labels: {a: b}, annotations: {c: d}");
    CHECK(actions(node_events(base, all)) ==
          Actions{BERTH_EVENT_UPDATE_NODE_TAINT, BERTH_EVENT_UPDATE_NODE_ALLOCATABLE, BERTH_EVENT_UPDATE_NODE_LABEL,
                  BERTH_EVENT_UPDATE_NODE_TAINT, BERTH_EVENT_UPDATE_NODE_CONDITION, BERTH_EVENT_UPDATE_NODE_ANNOTATION,
                  BERTH_EVENT_UPDATE_NODE_DECLARED_FEATURE});
    CHECK(actions(node_events(node_with("", ""), node_with("unschedulable: true", ""))).empty());
}

TEST_CASE("event: each changed facet of a pod is an event, and a change without a facet is one", "[queue]") {
    auto with = [](const std::string &cpu, const std::string &spec, const std::string &meta = "") {
        return plain_pod(
            "p", meta,
            "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: " + cpu + "}}}]" + spec + "}");
    };
    auto base = with("2", ", schedulingGates: [{name: g}]");
    CHECK(actions(pod_events(base, base)) == Actions{BERTH_EVENT_UPDATE});
    CHECK(actions(pod_events(base, with("1", ", tolerations: [{operator: Exists}]", ", labels: {a: b}"))) ==
          Actions{BERTH_EVENT_UPDATE_POD_LABEL, BERTH_EVENT_UPDATE_POD_SCALE_DOWN,
                  BERTH_EVENT_UPDATE_POD_GATES_ELIMINATED, BERTH_EVENT_UPDATE_POD_TOLERATION});
    CHECK(actions(pod_events(base, with("3", ", schedulingGates: [{name: g}]"))) == Actions{BERTH_EVENT_UPDATE});
    CHECK(pod_events(base, base).front().resource == "Pod");
    CHECK(pod_events(base, with("2", ", nodeName: n")).front().resource == "AssignedPod");
}

TEST_CASE("event: asking for nothing is less than asking for zero, and a quantity is what it means", "[queue]") {
    auto asks = [](const std::string &requests) {
        return plain_pod("p", "",
                         "spec: {containers: [{name: c, image: i, resources: {requests: {" + requests + "}}}]}");
    };
    CHECK(actions(pod_events(asks("cpu: 0"), asks(""))) == Actions{BERTH_EVENT_UPDATE_POD_SCALE_DOWN});
    CHECK(actions(pod_events(asks("memory: 1500m"), asks("memory: 1200m"))) ==
          Actions{BERTH_EVENT_UPDATE_POD_SCALE_DOWN});
    CHECK(actions(pod_events(asks("example.com/a: 1"), asks("cpu: 1"))) == Actions{BERTH_EVENT_UPDATE_POD_SCALE_DOWN});
    CHECK(actions(pod_events(asks("cpu: 1"), asks("cpu: 1000m, memory: 0"))) == Actions{BERTH_EVENT_UPDATE});
    auto has = [](const std::string &allocatable) { return node_with("", "allocatable: {" + allocatable + "}"); };
    CHECK(node_events(has("cpu: 1"), has("cpu: 1000m")).empty());
    CHECK(actions(node_events(has("cpu: 1"), has("cpu: 1, memory: 0"))) ==
          Actions{BERTH_EVENT_UPDATE_NODE_ALLOCATABLE});
    auto tainted = [](const std::string &more) {
        return node_with("taints: [{key: k, effect: NoExecute" + more + "}]", "");
    };
    CHECK(actions(node_events(tainted(""), tainted(", timeAdded: '2026-01-01T00:00:00Z'"))) ==
          Actions{BERTH_EVENT_UPDATE_NODE_TAINT});
}

TEST_CASE("event: a label says what happened to what", "[queue]") {
    auto pod = plain_pod("p"), placed = plain_pod("p", "", "spec: {nodeName: n, containers: [{name: c, image: i}]}");
    const auto gates = pod_event(*pod, BERTH_EVENT_UPDATE_POD_GATES_ELIMINATED, pod, pod);
    CHECK(label(gates, false) == "UnschedulablePodUpdatePodSchedulingGatesEliminated");
    CHECK(label(gates, true) == "TargetPodUpdatePodSchedulingGatesEliminated");
    for (bool as_1_37 : {false, true}) {
        CHECK(label(pod_event(*placed, BERTH_EVENT_DELETE, placed, nullptr), as_1_37) == "AssignedPodDelete");
        CHECK(label({"storage.k8s.io/CSINode", BERTH_EVENT_UPDATE, {}, {}, {}, {}}, as_1_37) ==
              "storage.k8s.io/CSINodeUpdate");
        CHECK(label({resource_any, BERTH_EVENT_ALL, {}, {}, {}, {}, unschedulable_timeout}, as_1_37) ==
              "UnschedulableTimeout");
    }
}

TEST_CASE("event: as 1.37, raised requests and a node's policy of preemption are facets", "[queue]") {
    auto asks = [](const std::string &requests, const std::string &more = "") {
        return plain_pod(
            "p", "",
            "spec: {containers: [{name: c, image: i, resources: {requests: {" + requests + "}}}]" + more + "}");
    };
    auto facets = [](const model::PodPtr &before, const model::PodPtr &after) {
        return actions(queue::pod_events(before, after, true));
    };
    CHECK(facets(asks("cpu: 1"), asks("cpu: 2")) == Actions{update_pod_scale_up});
    CHECK(facets(asks("cpu: 1"), asks("cpu: 1, memory: 0")) == Actions{update_pod_scale_up});
    CHECK(facets(asks("cpu: 1, memory: 2Gi"), asks("cpu: 2, memory: 1Gi", ", tolerations: [{operator: Exists}]")) ==
          Actions{BERTH_EVENT_UPDATE_POD_SCALE_DOWN, update_pod_scale_up, BERTH_EVENT_UPDATE_POD_TOLERATION});
    CHECK(facets(asks("cpu: 1"), asks("cpu: 1000m")) == Actions{BERTH_EVENT_UPDATE});
    const auto placed = asks("cpu: 2", ", nodeName: n");
    CHECK(label(queue::pod_events(asks("cpu: 1", ", nodeName: n"), placed, true).front(), true) ==
          "AssignedPodUpdatePodScaleUp");
    const auto plain = node_with("", ""), with = node_with("podPreemptionPolicy: {policy: Never}", "");
    CHECK(actions(queue::node_events(plain, with, true)) == Actions{update_node_preemption_policy});
    CHECK(node_events(plain, with).empty());
    CHECK(label(queue::node_events(plain, with, true).front(), true) == "NodeUpdateNodePreemptionPolicy");
}

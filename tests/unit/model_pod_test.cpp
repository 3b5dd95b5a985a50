// SPDX-License-Identifier: Apache-2.0
#include "model/pod.h"

#include "unit/object_text.h"

using namespace berth;
using model::view;

namespace {

constexpr auto full = R"(
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: shop
  uid: 6f1c0a3e-0000-4000-8000-000000000001
  labels: {tier: front, app: web}
  creationTimestamp: "2026-01-01T00:00:00Z"
  deletionTimestamp: "2026-01-01T00:05:00Z"
  managedFields: [{manager: kubectl}]
spec:
  priority: -5
  schedulerName: berth
  nodeName: n1
  unknownField: {of: a later release}
  tolerations:
  - {key: gpu, operator: Exists, effect: NoSchedule}
  - {key: team, value: a}
  initContainers:
  - {name: setup, image: busybox, ports: [{containerPort: 1, hostPort: 1}]}
  - {name: mesh, image: envoy, restartPolicy: Always, ports: [{containerPort: 2, hostPort: 2, protocol: UDP}]}
  containers:
  - name: web
    image: nginx:1.27
    ports: [{containerPort: 80}, {containerPort: 443, hostPort: 8443, hostIP: 10.0.0.1}]
  volumes: [{name: data, emptyDir: {}}, {name: model, image: {reference: registry/model}}]
status:
  phase: Running
  startTime: "2026-01-01T00:00:01Z"
  nominatedNodeName: n2
)";

}  // namespace

TEST_CASE("pod: every field that the scheduler uses is decoded", "[model]") {
    const auto pod = pod_of(full);
    CHECK(pod->key() == "shop/web-1");
    CHECK(pod->uid() == "6f1c0a3e-0000-4000-8000-000000000001");
    CHECK(pod->scheduler_name() == "berth");
    CHECK(pod->node_name() == "n1");
    CHECK(pod->nominated_node() == "n2");
    CHECK(pod->view.priority == -5);
    CHECK(pod->terminating());
    CHECK(pod->phase() == "Running");
    CHECK_FALSE(pod->finished());
    CHECK(pod->view.creation_time_ns == 1767225600'000000000);
    CHECK(pod->start_time_ns == 1767225601'000000000);
    CHECK(pod->view.struct_size == sizeof(berth_pod));
    CHECK(model::object_of(pod->view.obj) == pod.get());
    CHECK(pod->view.attempts == 0);

    REQUIRE(pod->labels().size() == 2);
    CHECK(view(pod->labels()[0].key) == "app");
    CHECK(view(pod->labels()[0].value) == "web");
    CHECK(view(pod->labels()[1].key) == "tier");

    REQUIRE(pod->view.tolerations_len == 2);
    CHECK(view(pod->view.tolerations[0].op) == "Exists");
    CHECK(view(pod->view.tolerations[0].effect) == "NoSchedule");
    CHECK(view(pod->view.tolerations[1].key) == "team");
    CHECK(view(pod->view.tolerations[1].op).empty());
    CHECK(view(pod->view.tolerations[1].value) == "a");
}

TEST_CASE("pod: images are those of init containers, containers and volumes", "[model]") {
    const auto pod = pod_of(full);
    REQUIRE(pod->view.images_len == 4);
    CHECK(view(pod->view.images[0].name) == "busybox");
    CHECK(pod->view.images[1].use == BERTH_IMAGE_INIT_CONTAINER);
    CHECK(view(pod->view.images[2].name) == "nginx:1.27");
    CHECK(pod->view.images[2].use == BERTH_IMAGE_CONTAINER);
    CHECK(view(pod->view.images[3].name) == "registry/model");
    CHECK(pod->view.images[3].use == BERTH_IMAGE_VOLUME);
}

TEST_CASE("pod: host ports are those of containers and sidecars, with defaults", "[model]") {
    const auto pod = pod_of(full);
    REQUIRE(pod->view.host_ports_len == 2);
    CHECK(pod->view.host_ports[0].port == 8443);
    CHECK(view(pod->view.host_ports[0].protocol) == "TCP");
    CHECK(view(pod->view.host_ports[0].ip) == "10.0.0.1");
    CHECK(pod->view.host_ports[1].port == 2);
    CHECK(view(pod->view.host_ports[1].protocol) == "UDP");
    CHECK(view(pod->view.host_ports[1].ip) == "0.0.0.0");
}

TEST_CASE("pod: on the host's network a container's port is a host port", "[model]") {
    const auto pod = pod_of(R"({metadata: {name: a}, spec: {hostNetwork: true,
        containers: [{name: c, ports: [{containerPort: 80}]}]}})");
    REQUIRE(pod->view.host_ports_len == 1);
    CHECK(pod->view.host_ports[0].port == 80);
}

TEST_CASE("pod: what a file leaves out is defaulted as the API server would", "[model]") {
    const auto pod = pod_of("{metadata: {name: a}, spec: {containers: [{}]}}");
    CHECK(pod->name_space() == "default");
    CHECK(pod->scheduler_name() == "default-scheduler");
    CHECK(pod->node_name().empty());
    CHECK(pod->view.priority == 0);
    CHECK(pod->view.host_ports_len == 0);
    CHECK(pod->view.images_len == 1);
    CHECK_FALSE(pod->terminating());
    CHECK(pod->start_time_ns == 0);
}

TEST_CASE("pod: without a uid it gets one that depends on its name only", "[model]") {
    const auto uid = [](std::string_view name) {
        return std::string(pod_of("metadata: {name: " + std::string(name) + "}")->uid());
    };
    CHECK(uid("a") == uid("a, namespace: default"));
    CHECK(uid("a") != uid("b"));
    CHECK(uid("a") != uid("a, namespace: other"));
    CHECK(uid("a") != std::string(node_of("metadata: {name: a}")->uid));
    CHECK(uid("a").size() == 36);
    CHECK(uid("a")[14] == '8');
}

TEST_CASE("pod: each fault is reported once, with its path and what was expected", "[model]") {
    const auto faults = faults_of(model::read_pod, R"(
metadata: {name: Web_1, namespace: a.b, labels: {on: true}, creationTimestamp: yesterday}
spec:
  priority: 3000000000
  schedulerName: [x]
  tolerations: [{operator: exists}, {effect: NoSchedul}]
  containers:
  - name: c
    image: 7
    ports: [{hostPort: 70000}, {hostPort: "80"}, {hostPort: 80, protocol: tcp}]
    resources: {requests: {cpu: 5x, memory: -1Gi, nvidia.com/gpu: 500m}, limits: [1]}
  - name: c
  - text
status: {startTime: 5, phase: {}}
)");
    CHECK(faults ==
          std::vector<std::string>{
              R"(metadata.name: expected a name of at most 253 lower case letters, digits, '-' and '.', got "Web_1")",
              R"(metadata.namespace: expected a namespace of at most 63 lower case letters, digits and '-', got "a.b")",
              "metadata.labels.on: expected a string (put it in quotes), got true",
              R"(metadata.creationTimestamp: expected a time like 2026-01-01T00:00:00Z, got "yesterday")",
              "spec.priority: expected a number from -2147483648 to 2147483647, got 3000000000",
              "spec.schedulerName: expected a string, got a list",
              R"(spec.tolerations[0].operator: expected one of Equal, Exists, Lt, Gt, got "exists")",
              R"(spec.tolerations[1].effect: expected one of NoSchedule, PreferNoSchedule, NoExecute, got "NoSchedul")",
              "spec.containers[0].image: expected a string (put it in quotes), got 7",
              "spec.containers[0].ports[0].hostPort: expected a number from 0 to 65535, got 70000",
              R"(spec.containers[0].ports[1].hostPort: expected a whole number, got "80")",
              R"(spec.containers[0].ports[2].protocol: expected one of TCP, UDP, SCTP, got "tcp")",
              R"(spec.containers[1].name: another container of this pod is called "c" too)",
              "status.phase: expected a string, got an object",
              "status.startTime: expected a time like 2026-01-01T00:00:00Z, got 5",
              R"(spec.containers[0].resources.requests.cpu: expected a quantity like 500m or 2Gi, got "5x")",
              R"(spec.containers[0].resources.requests.memory: expected a quantity that is not negative, got "-1Gi")",
              R"(spec.containers[0].resources.requests[nvidia.com/gpu]: expected a whole number, got "500m")",
              "spec.containers[0].resources.limits: expected an object, got a list",
              R"(spec.containers[2]: expected an object, got "text")",
          });
}

// promise(tenant): A pod's field with a value of the wrong type is an error with its path, not a crash.
TEST_CASE("pod: a value of another type in the place of an object is an error, not a crash", "[model]") {
    CHECK(faults_of(model::read_pod, "[1, 2]") == std::vector<std::string>{": expected a Pod, got a list"});
    CHECK(faults_of(model::read_pod, "metadata: 5") ==
          std::vector<std::string>{"metadata: expected an object, got 5", "metadata.name: a name is required"});
    CHECK(faults_of(model::read_pod, "{metadata: {name: a}, spec: x, status: [y]}") ==
          std::vector<std::string>{R"(spec: expected an object, got "x")", "status: expected an object, got a list"});
    CHECK(faults_of(model::read_pod, "{metadata: {name: a}, spec: {containers: {name: x}}}") ==
          std::vector<std::string>{"spec.containers: expected a list, got an object"});
}

TEST_CASE("pod: a fault names the value it is about", "[model]") {
    const auto tree = tree_of("{metadata: {name: a}, spec: {priority: high}}");
    model::Value at;
    model::read_pod(tree, [&](model::Value v, const std::string &, const std::string &) { at = v; });
    CHECK(at.raw() == tree->value()["spec"]["priority"].raw());
}

TEST_CASE("pod: a copy that is placed keeps everything alive that it points to", "[model]") {
    auto pod = pod_of(full);
    auto first = model::assumed_copy(pod, std::string("node-of-") + "another-name");
    auto second = model::assumed_copy(first, "n9");
    std::weak_ptr<const model::Pod> middle = first;
    const auto cpu = pod->effective_nonzero->cpu;
    pod.reset();
    CHECK(first->node_name() == "node-of-another-name");
    first.reset();
    CHECK(middle.expired());
    CHECK(second->node_name() == "n9");
    CHECK((second->view.pod_flags & BERTH_FLAG_POD_ASSUMED) != 0);
    CHECK(second->terminating());
    CHECK(view(second->labels()[0].value) == "web");
    CHECK(second->view.requests_nonzero->cpu == cpu);
    CHECK(second->phase() == "Running");
    CHECK(model::object_of(second->view.obj) == second.get());
}

// SPDX-License-Identifier: Apache-2.0
#include "model/node.h"

#include "unit/object_text.h"

using namespace berth;
using model::view;

TEST_CASE("node: every field that the scheduler uses is decoded", "[model]") {
    const auto node = node_of(R"(
metadata: {name: n1, uid: u1, labels: {zone: z, arch: arm64}, annotations: {b: "2", a: "1"}}
spec:
  unschedulable: true
  taints: [{key: b, value: x, effect: NoExecute}, {key: a, effect: PreferNoSchedule}]
status:
  capacity: {cpu: 99}
  allocatable:
    cpu: 3920m
    memory: 1.5Gi
    ephemeral-storage: 10G
    pods: "110"
    nvidia.com/gpu: 2
    hugepages-2Mi: 4Mi
    attachable-volumes-aws-ebs: 25
    strange: 7
  images: [{names: ["nginx:1", "nginx@sha256:1"], sizeBytes: 1000}, {sizeBytes: 5}, {names: [a]}]
)");
    CHECK(node->name == "n1");
    CHECK(node->uid == "u1");
    CHECK(node->unschedulable);
    CHECK(node->label("arch") == "arm64");
    CHECK(node->label("absent").empty());
    REQUIRE(node->annotations.size() == 2);
    CHECK(view(node->annotations[0].key) == "a");
    REQUIRE(node->taints.size() == 2);
    CHECK(view(node->taints[0].key) == "b");
    CHECK(view(node->taints[0].value) == "x");
    CHECK(view(node->taints[1].effect) == "PreferNoSchedule");
    CHECK(node->allocatable.cpu == 3920);
    CHECK(node->allocatable.memory == 1610612736);
    CHECK(node->allocatable.ephemeral == 10'000'000'000);
    CHECK(node->allocatable_pods == 110);
    REQUIRE(node->allocatable.scalars_len == 3);
    CHECK(view(node->allocatable.scalars[0].name) == "attachable-volumes-aws-ebs");
    CHECK(view(node->allocatable.scalars[1].name) == "hugepages-2Mi");
    CHECK(node->allocatable.scalars[1].value == 4 << 20);
    CHECK(view(node->allocatable.scalars[2].name) == "nvidia.com/gpu");
    REQUIRE(node->images.size() == 3);
    REQUIRE(node->images[0].names.size() == 2);
    CHECK(view(node->images[0].names[1]) == "nginx@sha256:1");
    CHECK(node->images[0].size_bytes == 1000);
    CHECK(node->images[1].names.empty());
    CHECK(node->images[2].size_bytes == 0);
}

TEST_CASE("node: without allocatable its capacity counts", "[model]") {
    const auto node = node_of("{metadata: {name: n}, status: {capacity: {cpu: 2, pods: 10}}}");
    CHECK(node->allocatable.cpu == 2000);
    CHECK(node->allocatable_pods == 10);
    CHECK(node_of("metadata: {name: n}")->allocatable_pods == 0);
}

TEST_CASE("node: the zone's key is made of region and zone, the older labels first", "[model]") {
    const auto key = [](std::string_view labels) {
        return node_of("{metadata: {name: n, labels: {" + std::string(labels) + "}}}")->zone_key;
    };
    using namespace std::string_literals;
    CHECK(key("").empty());
    CHECK(key("topology.kubernetes.io/region: r, topology.kubernetes.io/zone: z") == "r:\0:z"s);
    CHECK(key("topology.kubernetes.io/zone: z") == ":\0:z"s);
    CHECK(key("topology.kubernetes.io/region: r") == "r:\0:"s);
    CHECK(key("topology.kubernetes.io/zone: z, failure-domain.beta.kubernetes.io/zone: b") == ":\0:b"s);
    CHECK(key("topology.kubernetes.io/zone: z, failure-domain.beta.kubernetes.io/zone: ''").empty());
}

TEST_CASE("node: each fault is reported with its path and what was expected", "[model]") {
    CHECK(faults_of(model::read_node, R"(
metadata: {labels: {a: 1}}
spec: {unschedulable: "yes", taints: [{effect: NoSchedule}, {key: a}, {key: a, effect: x}, 5]}
status: {allocatable: {cpu: "-1", pods: many}, images: [{names: a, sizeBytes: -4}]}
)") == std::vector<std::string>{
           "metadata.name: a name is required",
           "metadata.labels.a: expected a string (put it in quotes), got 1",
           R"(spec.unschedulable: expected true or false, got "yes")",
           "spec.taints[0].key: a taint needs a key",
           "spec.taints[1].effect: a taint needs an effect: NoSchedule, PreferNoSchedule or NoExecute",
           R"(spec.taints[2].effect: expected one of NoSchedule, PreferNoSchedule, NoExecute, got "x")",
           "spec.taints[3]: expected an object, got 5",
           "spec.taints[3].key: a taint needs a key",
           "spec.taints[3].effect: a taint needs an effect: NoSchedule, PreferNoSchedule or NoExecute",
           R"(status.images[0].names: expected a list, got "a")",
           "status.images[0].sizeBytes: expected a number from 0 to 9223372036854775807, got -4",
           R"(status.allocatable.cpu: expected a quantity that is not negative, got "-1")",
           R"(status.allocatable.pods: expected a quantity like 500m or 2Gi, got "many")",
       });
    CHECK(faults_of(model::read_node, "text") == std::vector<std::string>{": expected a Node, got \"text\""});
}

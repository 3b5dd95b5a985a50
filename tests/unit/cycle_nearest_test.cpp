// SPDX-License-Identifier: Apache-2.0
// What would make a pod fit, of each kind of reason, and in words.
#include "cycle/nearest.h"

#include "object_text.h"
#include "report/explanation.h"

using namespace berth;

namespace {

using Texts = std::vector<std::string>;

std::string change(const std::string &pod, const std::string &node, Texts reasons, const cycle::NodeSums &sums = {}) {
    const auto p = pod_of("{metadata: {name: p}, spec: {" + pod + "}}");
    const auto n = node_of("{metadata: {name: n1" + node + "}");
    return report::change_text(
        cycle::change_of(p->view, *n, sums, {BERTH_UNSCHEDULABLE, {}, std::move(reasons), "Somebody"}));
}

std::string asking(const std::string &requests, const std::string &more = "") {
    return more + "containers: [{name: c, image: i, resources: {requests: {" + requests + "}}}]";
}

const std::string bare =
    "}, status: {allocatable: {cpu: '4', memory: 8Gi, ephemeral-storage: 1Gi, gpu.io/x: 1, pods: 2}}";

}  // namespace

TEST_CASE("nearest: of a resource, what is missing beside what is there", "[cycle]") {
    cycle::NodeSums sums;
    sums.add(
        pod_of("{metadata: {name: q}, spec: {" + asking("cpu: 2500m, memory: 7Gi, gpu.io/x: 1") + "}}")->accounted());
    CHECK(change(asking("cpu: 3500m"), bare, {"Insufficient cpu"}, sums) == "2 more cpu on n1");
    CHECK(change(asking("cpu: 1505m"), bare, {"Insufficient cpu"}, sums) == "0.005 more cpu on n1");
    CHECK(change(asking("memory: 3Gi"), bare, {"Insufficient memory"}, sums) == "2Gi more memory on n1");
    // Rounded up, so that it is enough.
    CHECK(change(asking("memory: '22548578305'"), bare, {"Insufficient memory"}, sums) == "20481Mi more memory on n1");
    CHECK(change(asking("ephemeral-storage: 3Gi"), bare, {"Insufficient ephemeral-storage"}, sums) ==
          "2Gi more ephemeral-storage on n1");
    CHECK(change(asking("cpu: 2, gpu.io/x: 2"), bare, {"Insufficient cpu", "Insufficient gpu.io/x"}, sums) ==
          "0.5 more cpu and 2 more gpu.io/x on n1");
    sums.add({});
    CHECK(change(asking("cpu: 1"), bare, {"Too many pods"}, sums) == "room for 1 more pod on n1");
    CHECK(change(asking("cpu: 2"), bare, {"Too many pods", "Insufficient cpu"}, sums) ==
          "room for 1 more pod and 0.5 more cpu on n1");
}

TEST_CASE("nearest: taints that are not tolerated, all of them, and a cordon", "[cycle]") {
    const std::string node =
        "}, spec: {unschedulable: true, taints: [{key: gpu, value: a, effect: NoSchedule}, "
        "{key: soft, effect: PreferNoSchedule}, {key: down, effect: NoExecute}]}";
    const Texts reason{"node(s) had untolerated taint(s)"};
    CHECK(change(asking(""), node, reason) == "tolerate gpu=a:NoSchedule and down:NoExecute on n1");
    CHECK(change(asking("", "tolerations: [{key: down, operator: Exists}], "), node, reason) ==
          "tolerate gpu=a:NoSchedule on n1");
    CHECK(change(asking("", "tolerations: [{key: gpu, value: b}, {key: down, effect: NoSchedule, operator: Exists}], "),
                 node, reason) == "tolerate gpu=a:NoSchedule and down:NoExecute on n1");
    CHECK(change(asking(""), node, {"node(s) were unschedulable"}) == "uncordon n1");
}

TEST_CASE("nearest: the labels that the pod asks for, by the nearest of its terms", "[cycle]") {
    const Texts reason{"node(s) didn't match Pod's node affinity/selector"};
    const std::string node = ", labels: {disk: hdd, zone: a}}";
    auto affinity = [](const std::string &terms) {
        return asking("",
                      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                      "{nodeSelectorTerms: [" +
                          terms + "]}}}, ");
    };
    auto term = [](const std::string &expressions) { return "{matchExpressions: [" + expressions + "]}"; };
    CHECK(change(asking("", "nodeSelector: {disk: ssd, zone: a}, "), node, reason) == "label disk=ssd on n1");
    CHECK(change(asking("", "nodeSelector: {disk: ssd, fast: 'true'}, "), node, reason) ==
          "label disk=ssd and fast=true on n1");
    CHECK(change(affinity(term("{key: disk, operator: In, values: [ssd, nvme]}")), node, reason) ==
          "label disk=ssd on n1");
    CHECK(change(affinity(term("{key: disk, operator: In, values: [ssd, nvme]}, "
                               "{key: disk, operator: NotIn, values: [ssd]}")),
                 node, reason) == "label disk=nvme on n1");
    CHECK(change(affinity(term("{key: zone, operator: NotIn, values: [a]}")), node, reason) == "no label zone on n1");
    CHECK(change(affinity(term("{key: cores, operator: Gt, values: ['8']}")), node, reason) == "label cores=9 on n1");
    CHECK(change(affinity(term("{key: quiet, operator: Exists}, {key: zone, operator: DoesNotExist}")), node, reason) ==
          "label quiet= and no label zone on n1");
    // The second term takes less.
    CHECK(change(affinity(term("{key: a, operator: Exists}, {key: b, operator: Exists}") + ", " +
                          term("{key: zone, operator: In, values: [b]}")),
                 node, reason) == "label zone=b on n1");
    // No label does it: the plugin's words are told.
    CHECK(change(affinity("{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}"), node, reason) ==
          "n1: " + reason[0]);
    CHECK(change(affinity(term("{key: a, operator: Exists}, {key: a, operator: DoesNotExist}")), node, reason) ==
          "n1: " + reason[0]);
}

TEST_CASE("nearest: what nobody knows the cure for is told in the plugin's words", "[cycle]") {
    CHECK(change(asking("cpu: 1"), bare, {"node(s) didn't have free ports"}) == "n1: node(s) didn't have free ports");
    CHECK(change(asking("cpu: 9"), bare, {"Insufficient cpu", "too far away"}) == "n1: Insufficient cpu, too far away");
    // Words that are used for something else.
    CHECK(change(asking("cpu: 1"), bare, {"Insufficient cpu"}) == "n1: Insufficient cpu");
    CHECK(change(asking("cpu: 1"), bare, {"Insufficient goodwill"}) == "n1: Insufficient goodwill");
    CHECK(change(asking("cpu: 1"), bare, {"Too many pods"}) == "n1: Too many pods");
    CHECK(change(asking("cpu: 1"), bare, {"node(s) had untolerated taint(s)"}) ==
          "n1: node(s) had untolerated taint(s)");
    CHECK(change(asking("cpu: 1"), bare, {"node(s) were unschedulable"}) == "n1: node(s) were unschedulable");
    CHECK(change(asking("cpu: 1"), bare, {}) == "n1: Unschedulable");
}

TEST_CASE("nearest: the smallest first, each once with the nodes that lack the same", "[cycle]") {
    using Kind = model::NearChange::Kind;
    using Part = model::NearChange::Part;
    auto cpu = [](const std::string &node, std::int64_t more, double size) {
        return model::NearChange{node, "Fit", {Part{Kind::Resource, "cpu", {}, {}, more}}, size};
    };
    const model::NearChange taint{"n0", "Taints", {Part{Kind::Taint, "gpu", "a", "NoSchedule"}}};
    const model::NearChange two{
        "n0", "Fit", {Part{Kind::Resource, "cpu", {}, {}, 1}, Part{Kind::Resource, "memory", {}, {}, 1}}};
    const model::NearChange words{"n0", "Ports", {Part{Kind::Reason, "taken"}}};
    auto texts = [](const std::vector<model::NearChange> &list) {
        Texts out;
        for (const auto &c : list) out.push_back(std::to_string(c.nodes) + ": " + report::change_text(c));
        return out;
    };
    std::vector<model::NearChange> all{
        words, two, taint, cpu("n3", 2000, 0.5), cpu("n2", 1000, 0.25), cpu("n1", 1000, 0.25)};
    const Texts sorted{"3: 1 more cpu on n1", "1: tolerate gpu=a:NoSchedule on n0",
                       "1: 0.001 more cpu and 1 more memory on n0", "1: n0: taken"};
    CHECK(texts(cycle::smallest(all, 9)) == sorted);
    std::ranges::reverse(all);
    CHECK(texts(cycle::smallest(all, 9)) == sorted);
    CHECK(texts(cycle::smallest(all, 2)) == Texts(sorted.begin(), sorted.begin() + 2));
    CHECK(cycle::smallest({}, 3).empty());
}

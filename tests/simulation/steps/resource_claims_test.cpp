// SPDX-License-Identifier: Apache-2.0

// DynamicResources: claims that are allocated are honoured; of those that are not, what keeps them from it.

#include "claims_world.h"

using namespace claims_world;

TEST_CASE("DynamicResources: claims that the pod must wait for keep it out of the queue", "[sim]") {
    auto run = [](const model::PodPtr &p, std::vector<sim::InputObject> objects) {
        Storage s({node("n")}, {p}, std::move(objects));
        CHECK(s.at().empty());
        CHECK(s.world->sink.last.at("default/p").result == model::AttemptResult::Gated);
        return s.world->message("p");
    };
    CHECK(run(claiming(), {}) == "could not find ResourceClaim \"default/c\"");
    CHECK(run(claiming(), {resource_claim("c", "", "deletionTimestamp: '2026-01-01T00:00:00Z',")}) ==
          "resourceclaim \"c\" is being deleted");
    const std::string of_template = "resourceClaimTemplateName: t";
    CHECK(run(claiming(of_template), {}) == "pod \"default/p\": ResourceClaim not created yet");
    CHECK(run(claiming("shared: c"), {}) ==
          "pod \"default/p\", spec.resourceClaim \"x\": none of the supported fields are set");
    CHECK(run(claiming(of_template, "{name: x, resourceClaimName: c}"), {resource_claim("c", "")}) ==
          "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)");
}

TEST_CASE("DynamicResources: a claim without devices, where there are none", "[sim]") {
    auto run = [](std::vector<sim::InputObject> objects) {
        Storage s({node("n")}, {claiming()}, std::move(objects));
        CHECK(s.at().empty());
        return s.why();
    };
    CHECK(run({resource_claim("c", "")}) == "request r: device class gpus does not exist.");
    CHECK(run({resource_claim("c", ""), device_class("gpus")}) == "1 cannot allocate all claims.");
    CHECK(run({resource_claim("c", "", "",
                              "firstAvailable: [{name: a, deviceClassName: gpus}, {name: b, deviceClassName: no}]"),
               device_class("gpus")}) == "request r/b: device class no does not exist.");
    CHECK(run({resource_claim("c", "", "",
                              "firstAvailable: [{name: a, deviceClassName: gpus}, {name: b, deviceClassName: no}]"),
               device_class("gpus"), device_class("no")}) == "1 cannot allocate all claims.");
    CHECK(run({resource_claim("c", "", "", "newKind: {}")}) ==
          "resource claim default/c, request r: unknown request type.");
}

TEST_CASE("DynamicResources: an allocated claim leads the pod to its devices and is reserved for it", "[sim]") {
    auto run = [](const std::string &selector) {
        return Storage({labelled("n", "disk: ssd"), labelled("m", "disk: hdd")}, {claiming()},
                       {resource_claim("c", allocation + selector + "}")});
    };
    auto term = [](const std::string &t) { return ", nodeSelector: {nodeSelectorTerms: [{" + t + "}]}"; };
    // How many nodes the filters let pass; the simulated API server takes no reservation yet.
    auto feasible = [](const Storage &s) { return s.world->sink.last.at("default/p").feasible_nodes; };
    CHECK(feasible(run("")) == 2);
    CHECK(feasible(run(term("matchExpressions: [{key: disk, operator: In, values: [hdd]}]"))) == 1);
    CHECK(feasible(run(term("matchFields: [{key: metadata.name, operator: In, values: [n]}]"))) == 1);
    // Devices that no node reaches are given up by PostFilter, as upstream does; then the claim has none.
    CHECK(run(term("matchExpressions: [{key: disk, operator: In, values: [nvme]}]")).why() ==
          "request r: device class gpus does not exist.");
}

TEST_CASE("DynamicResources: extended resources that a DeviceClass stands for", "[sim]") {
    auto run = [](const std::string &allocatable, const std::string &spec) {
        return Storage(
            {node_of("{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: '4', memory: "
                     "8Gi, pods: '10'" +
                     allocatable + "}}}")},
            {pod_of("{apiVersion: v1, kind: Pod, metadata: {name: p, uid: u}, spec: {containers: [{name: c, image: "
                    "i, resources: {requests: {example.com/gpu: '1'}, limits: {example.com/gpu: '1'}}}]}}")},
            {device_class("another"), device_class("gpus", spec), device_class("other")});
    };
    const std::string mapped = "extendedResourceName: example.com/gpu";
    CHECK(run(", example.com/gpu: '1'", mapped).at() == "n");
    CHECK(run("", mapped).why() == "1 cannot allocate all claims.");
    CHECK(run("", "").why() == "1 Insufficient example.com/gpu.");
}

TEST_CASE("DynamicResources: NodeResourcesFit waits for a DeviceClass of the pod's resource", "[sim]") {
    auto woken = [](const sim::InputObject &after, const sim::InputObject *before = nullptr) {
        Storage s(
            {node("n")},
            {pod_of("{apiVersion: v1, kind: Pod, metadata: {name: p, uid: u}, spec: {containers: [{name: c, image: "
                    "i, resources: {requests: {example.com/gpu: '1'}, limits: {example.com/gpu: '1'}}}]}}")},
            {});
        CHECK(s.why() == "1 Insufficient example.com/gpu.");
        return s.woken_by(after, before);
    };
    const auto plain = device_class("gpus"), named = device_class("gpus", "extendedResourceName: example.com/gpu"),
               other = device_class("gpus", "extendedResourceName: example.com/nic");
    CHECK(woken(named));
    CHECK(woken(named, &plain));
    CHECK(woken(named, &other));
    CHECK_FALSE(woken(plain));
    CHECK_FALSE(woken(other));
    CHECK_FALSE(woken(named, &named));
    CHECK_FALSE(woken(other, &named));
}

TEST_CASE("DynamicResources: a pod is tried again when a claim of its own has another status", "[sim]") {
    const std::string owner =
        "ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: p-p, controller: true, blockOwnerDeletion: "
        "true}],";
    auto woken = [](const model::PodPtr &p, const std::string &meta, const std::string &changed,
                    const std::string &plugins) {
        Storage s({node("n")}, {p},
                  {resource_claim("c", "", meta), resource_claim("d", "", meta), device_class("gpus")}, plugins);
        CHECK(s.why() == "1 cannot allocate all claims.");
        const auto before = resource_claim(changed, "", meta),
                   after = resource_claim(changed, "devices: [{driver: d, pool: p, device: g}]", meta);
        return s.woken_by(after, &before);
    };
    for (const std::string plugins : {"", ", plugins: {preEnqueue: {disabled: [{name: DynamicResources}]}}"}) {
        CAPTURE(plugins);
        CHECK(woken(claiming(), "", "c", plugins));
        CHECK_FALSE(woken(claiming(), "", "d", plugins));
        const auto made = claiming("resourceClaimTemplateName: t", "{name: x, resourceClaimName: c}");
        CHECK(woken(made, owner, "c", plugins));
        CHECK_FALSE(woken(made, owner, "d", plugins));
    }
}

// SPDX-License-Identifier: Apache-2.0

// Devices count in the scores of NodeResourcesFit and NodeResourcesBalancedAllocation, where these look at a resource
// that a DeviceClass stands for.

#include "claims_world.h"

using namespace claims_world;

namespace {

const std::string packing =
    ", pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: "
    "example.com/gpu}]}}}, {name: NodeResourcesBalancedAllocation, args: {resources: [{name: example.com/gpu}, {name: "
    "cpu}]}}]";

/// Devices g0, g1, … with these fields each.
sim::InputObject slice_of(const std::string &name, const std::string &where, const std::vector<std::string> &devices) {
    std::string list;
    for (std::size_t i = 0; i < devices.size(); ++i)
        list += std::string(i == 0 ? "" : ", ") + "{name: g" + std::to_string(i) + devices[i] + "}";
    return object("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: " + name +
                  "}, spec: {driver: d.example.com, " + where + ", pool: {name: " + name +
                  ", generation: 1, resourceSliceCount: 1}, devices: [" + list + "]}}");
}
sim::InputObject in_use(const std::string &claim, const std::string &pool, const std::string &device) {
    return resource_claim(claim, "allocation: {devices: {results: [{request: r, driver: d.example.com, pool: " + pool +
                                     ", device: " + device + "}]}}");
}

/// The raw score of a node.
std::int64_t score(std::vector<sim::InputObject> objects, const std::string &node_name,
                   const std::string &plugin = "NodeResourcesFit", const std::string &config = packing,
                   berth::config::Release release = {}) {
    const auto gpu_pod = pod_of(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, uid: p-p}, spec: {containers: [{name: c, image: i, resources: "
        "{requests: {example.com/gpu: 1, cpu: 8}, limits: {example.com/gpu: 1}}}]}}");
    const Storage s({node("a"), node("b")}, {gpu_pod}, std::move(objects), config, {ClaimsWorld::kind()}, release);
    for (const auto &judged : s.world->sink.last.at("default/p").nodes)
        if (judged.name == node_name)
            for (const auto &given : judged.scores)
                if (given.plugin == plugin) return given.raw;
    return -1;
}

}  // namespace

TEST_CASE("scores: devices are what a node offers of their resource", "[sim]") {
    const auto gpu = [](const std::string &selector = "") {
        return device_class("gpu",
                            "extendedResourceName: example.com/gpu" +
                                (selector.empty() ? "" : ", selectors: [{cel: {expression: '" + selector + "'}}]"));
    };
    const std::string on_a = "nodeName: a", on_b = "nodeName: b";
    const std::vector<std::string> four(4);
    SECTION("free ones and those in use") {
        const std::vector<sim::InputObject> all{gpu(), slice_of("a", on_a, four), slice_of("b", on_b, four),
                                                in_use("c", "a", "g0"), in_use("d", "a", "g1")};
        CHECK(score(all, "a") == 75);
        CHECK(score(all, "b") == 25);
        // As 1.37, where DeviceTaintRules are read to allocate them and not to count them.
        const auto later = *berth::config::Release::of("1.37");
        CHECK(score(all, "a", "NodeResourcesFit", packing, later) == 75);
        // 3/4 of the devices and half of the CPUs, before 2/4 and nothing; on the other node 1/4 and half, before
        // nothing.
        CHECK(score(all, "a", "NodeResourcesBalancedAllocation") == 81);
        CHECK(score(all, "b", "NodeResourcesBalancedAllocation") == 68);
        const auto by_default = score(all, "a", "NodeResourcesFit", "");
        CHECK(by_default > 0);
        CHECK(by_default == score(all, "b", "NodeResourcesFit", ""));
    }
    SECTION("those that the class selects, and that the node reaches") {
        const std::string kind = ", attributes: {kind: {string: other}}", ours = ", attributes: {kind: {string: gpu}}";
        const std::vector<sim::InputObject> all{
            gpu("device.attributes[\"d.example.com\"].kind == \"gpu\""), slice_of("a", on_a, {ours, kind, kind, ours}),
            slice_of("b", on_b, {ours}), slice_of("everywhere", "allNodes: true", {ours, kind}),
            slice_of("some", "perDeviceNodeSelection: true", {ours + ", nodeName: b", ours + ", allNodes: true"})};
        CHECK(score(all, "a") == 25);
        CHECK(score(all, "b") == 25);
        auto without = all;
        without.pop_back();
        CHECK(score(without, "a") == 33);
        CHECK(score(without, "b") == 50);
    }
    SECTION("selectors do not see that a device can be shared") {
        const std::vector<sim::InputObject> all{gpu("device.allowMultipleAllocations || device.driver == \"none\""),
                                                slice_of("a", on_a, {", allowMultipleAllocations: true"}),
                                                slice_of("b", on_b, {", allowMultipleAllocations: true"})};
        CHECK(score(all, "a") == 0);
    }
}

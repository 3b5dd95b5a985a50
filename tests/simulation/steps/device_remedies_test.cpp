// SPDX-License-Identifier: Apache-2.0

// What a node lacks for a pod's claims, as DynamicResources says it to `berth explain`.

#include "claims_world.h"
#include "report/explanation.h"

using namespace claims_world;

namespace {

sim::InputObject slice_of(const std::string &devices, const std::string &more = "", const std::string &name = "n",
                          int count = 1) {
    return object("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: " + name +
                  "}, spec: {driver: d.example.com, nodeName: n, pool: {name: n, generation: 1, resourceSliceCount: " +
                  std::to_string(count) + "}, " + (devices.empty() ? "" : "devices: [" + devices + "]") + more + "}}");
}
sim::InputObject in_use(const std::string &claim, const std::string &device, const std::string &more = "") {
    return resource_claim(
        claim, "allocation: {devices: {results: [{request: r, driver: d.example.com, pool: n, device: " + device +
                   more + "}]}}");
}

/// What would make pod p fit, whose claim has these requests.
Texts remedies_of(const sim::InputObject &claim, std::vector<sim::InputObject> objects) {
    objects.push_back(claim);
    objects.push_back(device_class("gpus",
                                   "selectors: [{cel: {expression: '!(\"d.example.com\" in device.attributes) || "
                                   "!(\"other\" in device.attributes[\"d.example.com\"])'}}]"));
    const Storage s({node("n")}, {claiming()}, std::move(objects));
    const auto pod = claiming();
    Texts out;
    for (const auto &remedy :
         s.world->scheduler.dry_runs().remedies(pod, s.world->scheduler.dry_runs().run(pod).decision))
        out.push_back(report::remedy_text(remedy));
    return out;
}
Texts remedies(const std::string &request, std::vector<sim::InputObject> objects) {
    return remedies_of(resource_claim("c", "", "", request), std::move(objects));
}
std::string of_class(int count, const std::string &more = "") {
    return "exactly: {deviceClassName: gpus, allocationMode: ExactCount, count: " + std::to_string(count) + more + "}";
}
std::string selecting(const std::string &expression) {
    return ", selectors: [{cel: {expression: '" + expression + "'}}]";
}

const std::string of_memory = "consumesCounters: [{counterSet: s, counters: {memory: {value: ";
const std::string two = "{name: g0}, {name: g1}", tainted = "taints: [{key: t, effect: NoSchedule}]";
const std::string is_whole = selecting("device.attributes[\"d.example.com\"].?whole.orValue(false)");
/// A whole device, and a half of it that others have; the pool has this much memory.
std::vector<sim::InputObject> partitions(const std::string &memory, const std::string &more = "") {
    return {slice_of("{name: whole, attributes: {whole: {bool: true}}, " + of_memory + "40Gi}}}]" + more +
                         "}, {name: half, " + of_memory + "20Gi}}}]}",
                     "", "devices", 2),
            slice_of("", "sharedCounters: [{name: s, counters: {memory: {value: " + memory + "}}}]", "counters", 2),
            in_use("d", "half")};
}

}  // namespace

TEST_CASE("remedies: what a node lacks for a request of devices", "[sim][remedies]") {
    const std::string whose = "request r of claim default/c";
    CHECK(remedies(of_class(3), {slice_of(two + ", {name: g2, attributes: {other: {bool: true}}}")}) ==
          Texts{"add 1 device of class gpus for " + whose + " on n"});
    CHECK(remedies(of_class(2, selecting("device.driver == \"none\"")), {slice_of(two)}) ==
          Texts{"add 2 devices of class gpus that the selectors of " + whose + " match on n"});
    CHECK(remedies(of_class(2), {slice_of(two), in_use("d", "g0")}) ==
          Texts{"free 1 device of class gpus for " + whose + " on n"});
    CHECK(remedies("exactly: {deviceClassName: gpus, allocationMode: All}", {slice_of(two), in_use("d", "g0")}) ==
          Texts{"free 1 device of class gpus for " + whose + " on n"});
    CHECK(remedies(of_class(1), {slice_of("{name: g0, " + tainted + "}")}) ==
          Texts{"have " + whose + " tolerate the taints of 1 device on n"});
    CHECK(remedies(of_class(1, is_whole), partitions("40Gi")) ==
          Texts{"free counter memory of counter set s in pool d.example.com/n of 1 device for " + whose + " on n"});
    const auto shared = slice_of("{name: g0, allowMultipleAllocations: true, capacity: {memory: {value: 8Gi}}}");
    CHECK(remedies(of_class(1, ", capacity: {requests: {memory: 6Gi}}"),
                   {shared, in_use("d", "g0", ", shareID: s, consumedCapacity: {memory: 4Gi}")}) ==
          Texts{"free capacity memory of 1 device for " + whose + " on n"});
    CHECK(remedies("firstAvailable: [{name: many, deviceClassName: gpus, count: 4, selectors: [{cel: {expression: "
                   "'device.driver == \"none\"'}}]}, {name: one, deviceClassName: gpus, count: 2}]",
                   {slice_of(two), in_use("d", "g0")}) ==
          Texts{"add 4 devices of class gpus that the selectors of request r/many of claim default/c match on n"});
}

TEST_CASE("remedies: none where one change would not do", "[sim][remedies]") {
    const auto free_one = Texts{"free 1 device of class gpus for request r of claim default/c on n"};
    CHECK(remedies(of_class(2), {slice_of(two), in_use("d", "g0")}) == free_one);
    SECTION("the device that is in use is refused for something else, too") {
        CHECK(remedies(of_class(2), {slice_of("{name: g0, " + tainted + "}, {name: g1}"), in_use("d", "g0")}) ==
              Texts{});
        CHECK(remedies(of_class(3), {slice_of("{name: g0, " + tainted + "}, {name: g1}")}) == Texts{});
    }
    SECTION("the amount is more than a whole device has") {
        CHECK(remedies(of_class(1, ", capacity: {requests: {memory: 9Gi}}"),
                       {slice_of("{name: g0, capacity: {memory: {value: 8Gi}}}")}) == Texts{});
        CHECK(remedies(of_class(1, is_whole), partitions("30Gi")) == Texts{});
        CHECK(remedies(of_class(1, is_whole), partitions("40Gi", ", " + tainted)) == Texts{});
    }
    SECTION("devices share counters, and some of them are wanted together") {
        CHECK(remedies(of_class(2),
                       {slice_of("{name: a, " + of_memory + "40Gi}}}]}, {name: b, " + of_memory + "20Gi}}}]}", "",
                                 "devices", 2),
                        slice_of("", "sharedCounters: [{name: s, counters: {memory: {value: 40Gi}}}]", "counters", 2),
                        in_use("d", "b")}) == Texts{});
    }
    SECTION("a pool is being updated") {
        CHECK(remedies(of_class(2), {slice_of(two, "", "n", 2), in_use("d", "g0")}) == Texts{});
    }
    SECTION("the node has no device of the class") {
        CHECK(remedies(of_class(1), {slice_of("{name: g2, attributes: {other: {bool: true}}}")}) == Texts{});
    }
    SECTION("a constraint, or another request for the same devices") {
        const auto claim = [](const std::string &requests) {
            return object(
                "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {namespace: default, name: "
                "c, uid: u-c}, spec: {devices: {" +
                requests + "}}}");
        };
        const auto r = "{name: r, " + of_class(2) + "}";
        const std::vector<sim::InputObject> objects{slice_of(two), in_use("d", "g0")};
        CHECK(remedies_of(claim("requests: [" + r + "]"), objects) == free_one);
        CHECK(remedies_of(claim("requests: [" + r + "], constraints: [{matchAttribute: d.example.com/model}]"),
                          objects) == Texts{});
        CHECK(remedies_of(claim("requests: [" + r + ", {name: q, " + of_class(1) + "}]"), objects) == Texts{});
    }
}

TEST_CASE("remedies: the claim for an extended resource is called by the resource", "[sim][remedies]") {
    const auto pod = pod_of(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, uid: p-p}, spec: {containers: [{name: main, image: i, "
        "resources: {requests: {example.com/gpu: 2}, limits: {example.com/gpu: 2}}}]}}");
    const Storage s({node("n")}, {pod},
                    {device_class("gpus", "extendedResourceName: example.com/gpu"), slice_of(two), in_use("d", "g0")});
    Texts out;
    for (const auto &remedy :
         s.world->scheduler.dry_runs().remedies(pod, s.world->scheduler.dry_runs().run(pod).decision))
        out.push_back(report::remedy_text(remedy));
    CHECK(out == Texts{"free 1 device of class gpus for resource example.com/gpu of container main on n"});
}

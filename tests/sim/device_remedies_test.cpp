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
sim::InputObject in_use(const std::string &claim, const std::string &device) {
    return resource_claim(
        claim,
        "allocation: {devices: {results: [{request: r, driver: d.example.com, pool: n, device: " + device + "}]}}");
}

/// What would make pod p fit, whose claim has this request.
Texts remedies(const std::string &request, std::vector<sim::InputObject> objects) {
    objects.push_back(resource_claim("c", "", "", request));
    objects.push_back(device_class("gpus",
                                   "selectors: [{cel: {expression: '!(\"d.example.com\" in device.attributes) || "
                                   "!(\"other\" in device.attributes[\"d.example.com\"])'}}]"));
    const Storage s({node("n")}, {claiming()}, std::move(objects));
    const auto pod = claiming();
    Texts out;
    for (const auto &remedy : s.world->scheduler.remedies(pod, s.world->scheduler.dry_run(pod).decision))
        out.push_back(report::remedy_text(remedy));
    return out;
}
std::string of_class(int count, const std::string &more = "") {
    return "exactly: {deviceClassName: gpus, allocationMode: ExactCount, count: " + std::to_string(count) + more + "}";
}

}  // namespace

TEST_CASE("remedies: what a node lacks for a request of devices", "[sim][remedies]") {
    const std::string two = "{name: g0}, {name: g1}";
    CHECK(remedies(of_class(3), {slice_of(two + ", {name: g2, attributes: {other: {bool: true}}}")}) ==
          Texts{"add 1 device of class gpus for request r of claim default/c (needs 3; 2 of 3 devices match the class) "
                "on n"});
    CHECK(remedies(of_class(2, ", selectors: [{cel: {expression: 'device.driver == \"none\"'}}]"), {slice_of(two)}) ==
          Texts{"add 2 devices that the selectors of request r of claim default/c match (needs 2; 0 of 2 devices of "
                "class gpus match) on n"});
    CHECK(remedies(of_class(2), {slice_of(two), in_use("d", "g0")}) ==
          Texts{"free 1 device of class gpus for request r of claim default/c (needs 2; 1 of 2 devices that match are "
                "free) on n"});
    CHECK(remedies(of_class(1, ", capacity: {requests: {memory: 9Gi}}"),
                   {slice_of("{name: g0, capacity: {memory: {value: 8Gi}}}")}) ==
          Texts{"free or add capacity memory for request r of claim default/c (needs 1; 0 of 1 device that match have "
                "enough) on n"});
    CHECK(remedies(of_class(1), {slice_of("{name: g0, taints: [{key: t, effect: NoSchedule}]}")}) ==
          Texts{"have request r of claim default/c tolerate the taints of 1 device (needs 1; 0 of 1 device that match "
                "are without) on n"});
    const std::string of_memory = "consumesCounters: [{counterSet: s, counters: {memory: {value: ";
    CHECK(
        remedies(of_class(1,
                          ", selectors: [{cel: {expression: 'device.attributes[\"d.example.com\"].?whole"
                          ".orValue(false)'}}]"),
                 {slice_of("{name: whole, attributes: {whole: {bool: true}}, " + of_memory +
                               "40Gi}}}]}, {name: half, " + of_memory + "20Gi}}}]}",
                           "", "devices", 2),
                  slice_of("", "sharedCounters: [{name: s, counters: {memory: {value: 40Gi}}}]", "counters", 2),
                  in_use("d", "half")}) ==
        Texts{"free counter memory of counter set s in pool d.example.com/n for request r of claim default/c (needs 1; "
              "the counters suffice for 0 of 1 device that match and are free) on n"});
}

TEST_CASE("remedies: none for a request that the node has devices for, or that nothing can mend", "[sim][remedies]") {
    const std::vector<sim::InputObject> devices{slice_of("{name: g0}, {name: g1}")};
    CHECK(remedies(of_class(2), devices) == Texts{});
    CHECK(remedies(of_class(33), devices) == Texts{});
    CHECK(remedies(of_class(-1), devices) == Texts{});
    CHECK(remedies(of_class(1, ", selectors: [{cel: {expression: 'nonsense'}}]"), devices) == Texts{});
}

// SPDX-License-Identifier: Apache-2.0
#include "report/device_use.h"

#include "decode/write.h"
#include "object_text.h"

using namespace berth;

namespace {

/// Of node n1: a whole device and two halves that share what counts it, and one beside them.
const char *counters = R"(
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 2, resourceSliceCount: 2}
  sharedCounters: [{name: gpu-0, counters: {memory: {value: 80Gi}}}]
)";
const char *devices = R"(
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 2, resourceSliceCount: 2}
  devices:
    - {name: whole, attributes: {gpu.example.com/productName: {string: H100}},
       consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 80Gi}}}]}
    - {name: half-0, attributes: &half {productName: {string: H100}, profile: {string: 3g}},
       consumesCounters: &counters [{counterSet: gpu-0, counters: {memory: {value: 40Gi}}}]}
    - {name: half-1, attributes: *half, consumesCounters: *counters}
    - {name: other, attributes: {cores: {int: 4}}}
)";

model::TreePtr claim(const std::string &results) {
    return tree_of("status: {allocation: {devices: {results: [" + results + "]}}}");
}
std::string result(const std::string &device, const std::string &more = "") {
    return "{driver: gpu.example.com, pool: n1, device: " + device + more + "}";
}

std::string rows(const std::vector<report::DeviceUse> &uses) {
    std::string out;
    for (const auto &u : uses)
        out += u.node + " " + u.driver + " '" + u.model + "' " + std::to_string(u.allocated) + "/" +
               std::to_string(u.devices) + " free " + std::to_string(u.free) + "\n";
    return out;
}

}  // namespace

TEST_CASE("report: devices by model, those that share counters free as long as they suffice", "[report]") {
    const std::vector slices{tree_of(counters), tree_of(devices)};
    CHECK(rows(report::device_use(slices, {})) ==
          "n1 gpu.example.com '' 0/1 free 1\n"
          "n1 gpu.example.com 'H100' 0/1 free 1\n"
          "n1 gpu.example.com 'H100 3g' 0/2 free 2\n");
    CHECK(rows(report::device_use(slices, {claim(result("half-1"))})) ==
          "n1 gpu.example.com '' 0/1 free 1\n"
          "n1 gpu.example.com 'H100' 0/1 free 0\n"
          "n1 gpu.example.com 'H100 3g' 1/2 free 1\n");
    CHECK(rows(report::device_use(slices, {claim(result("whole") + ", " + result("other"))})) ==
          "n1 gpu.example.com '' 1/1 free 0\n"
          "n1 gpu.example.com 'H100' 1/1 free 0\n"
          "n1 gpu.example.com 'H100 3g' 0/2 free 0\n");
    // Two claims have a device that several may have, and another one looks at it only.
    const auto shared = report::device_use(
        slices, {claim(result("half-0", ", shareID: a")), claim(result("half-0", ", shareID: b")),
                 claim(result("other", ", adminAccess: true")), claim(result("gone")), tree_of("status: {}")});
    CHECK(rows(shared) ==
          "n1 gpu.example.com '' 0/1 free 1\n"
          "n1 gpu.example.com 'H100' 0/1 free 0\n"
          "n1 gpu.example.com 'H100 3g' 1/2 free 1\n");
}

TEST_CASE("report: only the newest generation of a pool has devices, and a device says on which node it is",
          "[report]") {
    auto slice = [](const std::string &generation, const std::string &rest) {
        return tree_of("spec: {driver: d, pool: {name: p, generation: " + generation + "}, " + rest + "}");
    };
    const std::vector slices{
        slice("1", "nodeName: old, devices: [{name: a}]"),
        slice("2", "perDeviceNodeSelection: true, devices: [{name: a, nodeName: n1}, {name: b, allNodes: true}]"),
        tree_of("spec: {devices: 7}"), tree_of("[]")};
    const auto uses = report::device_use(slices, {});
    CHECK(rows(uses) == " d '' 0/1 free 1\nn1 d '' 0/1 free 1\n");
    CHECK(report::device_text(uses, false) ==
          "\nDEVICES\n"
          "  DRIVER  MODEL  ALLOCATED  OF  FREE  NODES\n"
          "  d       -              0   2     2      1\n"
          "\nDEVICES BY NODE\n"
          "  NODE       DRIVER  MODEL  ALLOCATED  OF  FREE\n"
          "  (several)  d       -              0   1     1\n"
          "  n1         d       -              0   1     1\n");
    model::Tree tree;
    tree.root = report::device_values(tree.arena, uses);
    CHECK(
        decode::to_json(tree.value()) ==
        R"([{"driver":"d","devices":1,"allocated":0,"free":1},{"node":"n1","driver":"d","devices":1,"allocated":0,"free":1}])");
    CHECK(report::device_text({}, false).empty());
}

TEST_CASE("report: of many rows of devices the fullest are shown, and terminal codes are not", "[report]") {
    std::vector<report::DeviceUse> uses;
    for (int i = 0; i < 25; ++i) uses.push_back({"n" + std::to_string(i), "d", "m\x1b[31m", 4, 0, 4});
    uses.back().free = 1;
    const auto text = report::device_text(uses, false);
    CHECK(text.find("DEVICES BY NODE, the fullest first\n") != text.npos);
    CHECK(text.find("  n24  ") < text.find("  n0  "));
    CHECK(text.find("  … and 5 more rows (--all shows them)\n") != text.npos);
    CHECK(text.find('\x1b') == text.npos);
    CHECK(report::device_text(uses, true).find("more rows") == text.npos);
}

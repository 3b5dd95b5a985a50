// SPDX-License-Identifier: Apache-2.0
#include "live/cache_debugger.h"

#include "fake_transport.h"
#include "fake_world.h"

using namespace berth;

namespace {

std::string node(const std::string &name) {
    return R"({"metadata":{"name":")" + name + R"(","uid":")" + name +
           R"(","resourceVersion":"1"},"status":{"allocatable":{"cpu":"4","memory":"1Gi","pods":"110"}}})";
}
std::string pod(const std::string &name, const std::string &node, const std::string &scheduler = "default-scheduler") {
    return R"({"metadata":{"namespace":"ns","name":")" + name + R"(","uid":"uid-)" + name +
           R"(","resourceVersion":"2"},"spec":{"schedulerName":")" + scheduler + R"(")" +
           (node.empty() ? "" : R"(,"nodeName":")" + node + R"(")") +
           R"(,"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"100m"}}}]},)" +
           R"("status":{"phase":"Pending"}})";
}
std::string added(const std::string &object) { return R"({"type":"ADDED","object":)" + object + "}\n"; }
const std::string list_end =
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}})"
    "\n";

FakePlugin nobody_fits() {
    FakePlugin fake{"Nowhere"};
    fake.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"no"}}; };
    return fake;
}

/// A scheduler that follows a server.
struct World : env::Log {
    FakePlugin nowhere = nobody_fits(), bind = binder();
    FakeWorld world{{&nowhere, &bind}};
    FakeTransport node_server, pod_server;
    kube::Reflector nodes{node_server, world.clock, nullptr, kube::nodes_for(world.scheduler.observer()), 7};
    kube::Reflector pods{pod_server, world.clock, nullptr, kube::pods_for(world.scheduler.observer()), 7};
    live::CacheDebugger debugger{world.clock, *this, world.scheduler, nodes, pods};
    std::vector<std::string> logged;

    World() {
        nodes.start([] {});
        pods.start([] {});
    }
    bool enabled(env::Severity, int) const override { return true; }
    void write(env::Severity, int, std::string_view message, const Pairs &pairs, std::source_location) override {
        logged.emplace_back(message);
        for (const auto &[key, value] : pairs) logged.back() += " " + std::string(key) + "=" + value;
    }
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}
    std::vector<std::string> told() {
        debugger.log_state();
        return std::exchange(logged, {});
    }
};

}  // namespace

TEST_CASE("cache debugger: what the scheduler knows, in upstream's words, and nothing that differs", "[live]") {
    World w;
    w.node_server.last().data(added(node("n1")) + added(node("n2")) + list_end);
    w.pod_server.last().data(added(pod("placed", "n2")) + added(pod("waits", "")) + added(pod("theirs", "", "other")) +
                             list_end);
    w.world.settle();
    const auto told = w.told();
    REQUIRE(told.size() == 4);
    CHECK(told[0] == "Cache comparer started");
    CHECK(told[1] == "Cache comparer finished");
    CHECK(told[2] ==
          "Dump of cached NodeInfo nodes=Node name: n1\nDeleted: false\nRequested Resources: {MilliCPU:0 Memory:0 "
          "EphemeralStorage:0 AllowedPodNumber:0}\nAllocatable Resources:{MilliCPU:4000 Memory:1073741824 "
          "EphemeralStorage:0 AllowedPodNumber:110}\nScheduled Pods(number: 0):\n\n\nNode name: n2\nDeleted: "
          "false\nRequested Resources: {MilliCPU:100 Memory:0 EphemeralStorage:0 AllowedPodNumber:0}\nAllocatable "
          "Resources:{MilliCPU:4000 Memory:1073741824 EphemeralStorage:0 AllowedPodNumber:110}\nScheduled Pods(number: "
          "1):\nname: placed, namespace: ns, uid: uid-placed, phase: Pending, nominated node: \n");
    CHECK(told[3] ==
          "Dump of scheduling queue summary=activeQ:0; backoffQ:0; unschedulablePods:1 pods=name: waits, namespace: "
          "ns, uid: uid-waits, phase: Pending, nominated node: \n");
}

TEST_CASE("cache debugger: what the scheduler has missed or keeps is named", "[live]") {
    World w;
    w.node_server.last().data(added(node("n1")) + added(node("n2")) + list_end);
    w.pod_server.last().data(added(pod("a", "n1")) + added(pod("b", "n2")) + added(pod("c", "")) + list_end);
    w.world.settle();
    // The scheduler hears of something that the server never said.
    auto placed = [](const std::string &name, const std::string &on) {
        auto made = plain_pod(name);
        return model::assumed_copy(made, on);
    };
    w.world.scheduler.cache().add_pod(placed("ghost", "n1"));
    w.world.scheduler.cache().remove_pod(*placed("nobody", "n1"));
    w.world.scheduler.cache().remove_node("n2");
    const auto told = w.told();
    REQUIRE(told.size() == 6);
    CHECK(told[1] == "Cache mismatch missedNodes=[\"n2\"] redundantNodes=[]");
    CHECK(told[2].starts_with("Cache mismatch missedPods=[\"uid-b\"] redundantPods=["));
    CHECK(told[2].find("ghost") != std::string::npos);
}

// SPDX-License-Identifier: Apache-2.0
// GangScheduling of the default plugins, by the testing kit.
#include "../../plugins/kubernetes/gang_scheduling.h"

#include <berth/testing.hpp>

#include "catch.h"

BERTH_PLUGIN(kubernetes::GangScheduling, "GangScheduling", "1.37.2")

namespace {

using berth::testing::TestGroup;

struct Gangs {
    berth::testing::Cluster cluster;
    std::optional<berth::testing::Plugin> plugin;

    Gangs() {
        cluster.add("{kind: Node, metadata: {name: n}}");
        cluster.add("{kind: Pod, metadata: {name: p, uid: u-p}, spec: {schedulingGroup: {podGroupName: g}}}");
        cluster.add("{kind: Pod, metadata: {name: q, uid: u-q}}");
        cluster.add("{kind: Pod, metadata: {name: alone}}");
        plugin.emplace(cluster, *berth_plugins_abi1());
    }
    void group(TestGroup group) { plugin->host.pod_groups = {std::move(group)}; }
};

}  // namespace

TEST_CASE("GangScheduling: a pod waits for its PodGroup, and for enough other pods", "[sdk]") {
    Gangs gangs;
    CHECK(gangs.plugin->pre_enqueue("alone").ok());
    CHECK(gangs.plugin->pre_enqueue("p").text() == "waiting for pods's pod group \"g\" to appear in scheduling queue");
    gangs.group({"default", "g", 2, false, {"u-p"}, {}, {}});
    CHECK_FALSE(gangs.plugin->pre_enqueue("p").ok());
    gangs.group({"default", "g", 2, true, {"u-p"}, {}, {}});
    CHECK(gangs.plugin->pre_enqueue("p").text() ==
          "waiting for minCount pods from a gang to appear in scheduling queue");
    gangs.group({"default", "g", 2, true, {"u-p"}, {}, {"u-q"}});
    CHECK(gangs.plugin->pre_enqueue("p").ok());
    gangs.group({"default", "g", 0, true, {"u-p"}, {}, {}});
    CHECK(gangs.plugin->pre_enqueue("p").ok());
}

TEST_CASE("GangScheduling: a group is placed with as many pods as its gang has, or with one", "[sdk]") {
    Gangs gangs;
    gangs.group({"default", "g", 3, true, {}, {}, {}});
    auto feasible = [&](std::uint64_t remaining, std::uint64_t scheduled) {
        const auto answer = gangs.plugin->placement_feasible("default", "g", remaining, scheduled);
        return std::to_string(answer.code()) + " " + answer.text();
    };
    CHECK(feasible(0, 3) == "0 ");
    CHECK(feasible(2, 1) == "4 minCount (3) is not yet satisfied: 1 scheduled, 2 remaining");
    CHECK(feasible(2, 0) == "2 minCount (3) cannot be satisfied: 0 scheduled, 2 remaining");
    gangs.group({"default", "g", 0, true, {}, {}, {}});
    CHECK(feasible(0, 1) == "0 ");
    CHECK(feasible(0, 0) == "2 minCount (1) cannot be satisfied: 0 scheduled, 0 remaining");
}

TEST_CASE("GangScheduling: at Permit pods wait for their gang, and the last one lets all go", "[sdk]") {
    Gangs gangs;
    CHECK(gangs.plugin->permit("alone", "n").ok());
    gangs.group({"default", "g", 2, true, {"u-q"}, {"u-p"}, {}});
    const auto waits = gangs.plugin->permit("p", "n");
    CHECK(waits.code() == BERTH_STATUS_WAIT);
    CHECK(waits.timeout == std::chrono::minutes(5));
    CHECK(gangs.plugin->host.activated == std::vector<std::string>{"u-q"});
    gangs.group({"default", "g", 2, true, {}, {"u-p", "u-q"}, {}});
    gangs.plugin->host.waiting = {{"q", "n"}};
    CHECK(gangs.plugin->permit("p", "n").ok());
    CHECK(gangs.plugin->host.allowed == std::vector<std::string>{"u-q"});
}

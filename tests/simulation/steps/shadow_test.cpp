// SPDX-License-Identifier: Apache-2.0

// A shadow with the same configuration decides alike whatever the cluster looks like; one with another changes nothing
// of what is decided; and when its configuration is put in force, decisions are what it said.

#include "paths.h"
#include "random_objects.h"

using namespace running_world;
using random_objects::Maker;

namespace {

const std::string spread =
    "profiles: [{schedulerName: default-scheduler, pluginConfig: [{name: PodTopologySpread, args: {defaultingType: "
    "List, defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}}]}]";
const std::string packed =
    "profiles: [{schedulerName: default-scheduler, plugins: {filter: {disabled: [{name: InterPodAffinity}]}}, "
    "pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, "
    "weight: 1}]}}}]}]";

/// Nodes and pods, some placed, of several priorities and more of them than there is room for, so that some are
/// evicted and others nominated.
sim::Input crowded(unsigned seed) {
    Maker make(seed);
    sim::Input input;
    for (int i = 0; i < 8; ++i) input.nodes.push_back(make.node("n" + std::to_string(i)));
    for (int i = 0; i < 12; ++i) input.pods.push_back(make.pod(make.node_name()));
    for (int i = 0; i < 30; ++i) {
        const auto name = "w" + std::to_string(i);
        input.pods.push_back(make.below(2)
                                 ? make.pod("")
                                 : pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", uid: u-" + name +
                                          "}, spec: {priority: " + std::to_string(make.below(3)) +
                                          ", containers: [{name: c, image: i, resources: {requests: {cpu: '" +
                                          std::to_string(3 + make.below(9)) + "'}}}]}}"));
    }
    return input;
}

std::string text_of(const std::map<std::string, model::Decision> &decisions) {
    std::string out;
    for (const auto &[key, d] : decisions) {
        out += key + " " + std::to_string(d.seq) + " " + d.node + " " + d.message + " " + d.nominated_node + " " +
               std::to_string(d.start_index) + "\n";
        for (const auto &n : d.nodes) out += "  " + n.name + " " + std::to_string(n.total) + " " + n.verdict.message();
    }
    return out;
}

}  // namespace

TEST_CASE("shadow: with the same configuration it decides alike; another changes nothing", "[sim][shadow]") {
    constexpr unsigned seeds = 40;
    std::uint64_t differing = 0, evicted = 0;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        INFO("seed " << seed);
        const auto input = crowded(seed);
        RunningWorld alone(spread, input);
        RunningWorld same(spread, input, {}, spread), other(spread, input, {}, packed);
        const auto counts = same.scheduler.shadow()->counts();
        CHECK(counts.compared() >= 20);
        for (const auto &d : same.scheduler.shadow()->newest(3))
            UNSCOPED_INFO(d->pod.name << " " << d->real.node << d->real.message << " | " << d->shadow.node
                                      << d->shadow.message);
        CHECK(counts.differing() == 0);
        CHECK(text_of(same.sink.last) == text_of(alone.sink.last));
        CHECK(text_of(other.sink.last) == text_of(alone.sink.last));
        differing += other.scheduler.shadow()->counts().differing();
        evicted += input.pods.size() - alone.world().pods().size();
    }
    CHECK(differing > seeds);
    CHECK(evicted > 0);  // and so somebody was nominated
}

TEST_CASE("shadow: once its configuration is in force, decisions are as it said", "[sim][shadow]") {
    RunningWorld world(spread, crowded(7), {}, packed);
    REQUIRE(world.scheduler.shadow()->counts().differing() > 0);
    const auto asked = pod("asked", "uid: u-asked,");
    const auto said = world.scheduler.dry_runs().run_shadow(asked).decision.node;
    world.scheduler.use(world.build(packed, false));
    CHECK(world.scheduler.dry_runs().run(asked).decision.node == said);
    world.scheduler.use_shadow(world.build(packed, true), {});
    for (int i = 0; i < 10; ++i)
        world.scheduler.observer().pod_added(pod("p" + std::to_string(i), "uid: u" + std::to_string(i) + ","));
    world.run();
    CHECK(world.scheduler.shadow()->counts().compared() >= 10);
    CHECK(world.scheduler.shadow()->counts().differing() == 0);
}

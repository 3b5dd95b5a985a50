// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "plugin_world.h"

namespace plugin = berth::plugin;

namespace {

template <class List>
std::vector<std::string> names(const List &list) {
    std::vector<std::string> out;
    for (const auto *instance : list) out.push_back(instance->name);
    return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("plugin: the default profile runs the shipped plugins in upstream's order", "[plugin]") {
    plugin_world::World world;
    auto profiles = world.build("");
    if (!profiles) FAIL(profiles.error().text);
    REQUIRE(profiles->size() == 1);
    const auto &profile = profiles->front();
    CHECK(profile.queue_sort->name == "PrioritySort");
    CHECK(names(profile.pre_enqueue) == Names{"SchedulingGates", "DynamicResources", "DefaultPreemption"});
    CHECK(names(profile.post_filter) == Names{"DynamicResources", "DefaultPreemption"});
    CHECK(names(profile.filter) == Names{"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity",
                                         "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits",
                                         "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity",
                                         "DynamicResources", "NodeDeclaredFeatures"});
    CHECK(names(profile.bind) == Names{"DefaultBinder"});
    Names scorers;
    for (const auto &scorer : profile.score)
        scorers.push_back(scorer.instance->name + " " + std::to_string(scorer.weight));
    CHECK(scorers == Names{"TaintToleration 3", "NodeAffinity 2", "NodeResourcesFit 1", "VolumeBinding 1",
                           "PodTopologySpread 2", "InterPodAffinity 2", "DynamicResources 2",
                           "NodeResourcesBalancedAllocation 1", "ImageLocality 1"});
}

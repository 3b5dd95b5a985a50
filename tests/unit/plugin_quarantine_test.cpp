// SPDX-License-Identifier: Apache-2.0
// Plugins that are not called any more, and their pods.
#include "plugin/quarantine.h"

#include "fake_world.h"
#include "plugin_world.h"

using namespace berth;
using plugin::OnFailure;
using plugin::Quarantined;

namespace {

const std::string two_profiles =
    "profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {enabled: [{name: Trace}]}}, pluginConfig: "
    "[{name: Trace, args: {}}]}, {schedulerName: other}]\n";

config::Configuration configuration() {
    auto out = config::read(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + two_profiles, "c.yaml");
    if (!out) FAIL(out.error().text);
    return *std::move(out);
}

const std::vector<Quarantined> trace{{"Trace", "plugin \"Trace\" is in quarantine: it crashed"}};

bool has(const plugin::Profile &profile, const std::string &name) {
    for (const auto &instance : profile.instances)
        if (instance->name == name) return true;
    return false;
}

/// What becomes of a pod of each profile: "Scheduled", or the message.
std::string fate(OnFailure policy, const std::string &scheduler) {
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    world.add_nodes(1);
    std::vector<plugin::Profile> profiles;
    profiles.push_back(fake_profile({&bind}));
    profiles.push_back(fake_profile({&bind}, "other"));
    plugin::hold(profiles, configuration(), trace, policy);
    world.scheduler.use(std::move(profiles));
    world.scheduler.observer().pod_added(
        plain_pod("p", {}, "spec: {schedulerName: " + scheduler + ", containers: [{name: c, image: i}]}"));
    world.settle();
    REQUIRE(world.decisions.size() == 1);
    const auto &d = world.last();
    if (d.result == model::AttemptResult::Scheduled) return "Scheduled";
    return d.phase + ": " + d.message;
}

}  // namespace

TEST_CASE("quarantine: a configuration without a plugin builds profiles that do not have it", "[plugin]") {
    plugin_world::World world;
    auto whole = plugin::build_profiles(configuration(), world.catalog, world.services());
    REQUIRE(whole);
    CHECK(has((*whole)[0], "Trace"));
    auto left = plugin::build_profiles(plugin::without(configuration(), trace), world.catalog, world.services());
    REQUIRE(left);
    CHECK_FALSE(has((*left)[0], "Trace"));
    CHECK(has((*left)[0], "NodeResourcesFit"));
    CHECK((*left)[0].instances.size() + 1 == (*whole)[0].instances.size());
    CHECK((*left)[1].instances.size() == (*whole)[1].instances.size());
}

TEST_CASE("quarantine: the policy says what becomes of pods, and those of other profiles do not notice", "[plugin]") {
    const std::string why = "plugin \"Trace\" is in quarantine: it crashed";
    CHECK(fate(OnFailure::FailPod, "default-scheduler") == "PreFilter: running PreFilter plugin \"Trace\": " + why);
    CHECK(fate(OnFailure::SkipPlugin, "default-scheduler") == "Scheduled");
    CHECK(fate(OnFailure::StopProfile, "default-scheduler") == "PreEnqueue: " + why);
    for (auto policy : {OnFailure::FailPod, OnFailure::SkipPlugin, OnFailure::StopProfile})
        CHECK(fate(policy, "other") == "Scheduled");
}

// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "config/read.h"
#include "plugin/catalog.h"
#include "plugin/profile.h"

namespace config = berth::config;
namespace plugin = berth::plugin;

namespace {

/// The services that the shipped plugins need before anything is scheduled.
struct NoColumns : plugin::ColumnProvider {
    std::uint32_t last = 0;
    std::uint32_t declare(std::uint32_t, std::string_view) override { return ++last; }
};
struct NoApi : berth::env::Api {
    void send(berth::env::ApiRequest, std::function<void(berth::env::ApiAnswer)>) override {}
};
struct NoClock : berth::env::Clock {
    std::int64_t now_ns() const override { return 0; }
    std::int64_t monotonic_ns() const override { return 0; }
    void after(std::int64_t, std::function<void()>) override {}
    void post(std::function<void()>) override {}
};

/// Builds the profiles of a configuration, with the plugins that this build made.
struct World {
    NoColumns columns;
    NoApi api;
    NoClock clock;
    plugin::Catalog catalog = *plugin::Catalog::open({{BERTH_PLUGIN_DIR}, {}, true});

    berth::model::Result<std::vector<plugin::Profile>> build(const std::string &yaml) {
        auto configuration = config::read(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + yaml, "c.yaml");
        if (!configuration) FAIL(configuration.error().text);
        plugin::Services services;
        services.columns = &columns;
        services.api = &api;
        services.clock = &clock;
        return plugin::build_profiles(*configuration, catalog, services);
    }
};

template <class List>
std::vector<std::string> names(const List &list) {
    std::vector<std::string> out;
    for (const auto *instance : list) out.push_back(instance->name);
    return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("plugin: the default profile runs the shipped plugins in upstream's order", "[plugin]") {
    World world;
    auto profiles = world.build("");
    if (!profiles) FAIL(profiles.error().text);
    REQUIRE(profiles->size() == 1);
    const auto &profile = profiles->front();
    CHECK(profile.queue_sort->name == "PrioritySort");
    CHECK(names(profile.pre_enqueue) == Names{"SchedulingGates"});
    CHECK(names(profile.filter) ==
          Names{"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit"});
    CHECK(names(profile.bind) == Names{"DefaultBinder"});
    Names scorers;
    for (const auto &scorer : profile.score)
        scorers.push_back(scorer.instance->name + " " + std::to_string(scorer.weight));
    CHECK(scorers == Names{"TaintToleration 3", "NodeAffinity 2", "NodeResourcesFit 1",
                           "NodeResourcesBalancedAllocation 1", "ImageLocality 1"});
}

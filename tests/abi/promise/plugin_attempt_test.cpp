// SPDX-License-Identifier: Apache-2.0
// A plugin that misbehaves while a pod is scheduled costs that pod's attempt, and the pod says whose fault it was.
#include "paths.h"
#include "plugin_world.h"
#include "scheduler/scheduler.h"
#include "sim/virtual_clock.h"
#include "unit/fake_plugin.h"

namespace model = berth::model;
namespace plugin = berth::plugin;

namespace {

/// A scheduler of two nodes whose default profile also runs a hostile library, as plugin Tea.
struct World : berth::DecisionSink {
    std::vector<model::Decision> decisions;
    berth::sim::VirtualClock clock{1'767'225'600'000'000'000};
    plugin_world::Api api;
    berth::Scheduler scheduler{clock, nullptr, *this, {}};

    explicit World(const std::string &library) {
        auto catalog =
            plugin::Catalog::open({{berth::paths::plugins()}, {{"Tea", plugin_world::hostile(library), {}, {}}}, true});
        if (!catalog) FAIL(catalog.error().text);
        auto configuration = berth::config::read(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
            "profiles: [{plugins: {multiPoint: {enabled: [{name: Tea}]}}}]\n",
            "c.yaml");
        if (!configuration) FAIL(configuration.error().text);
        plugin::Services services;
        services.clock = &clock;
        services.api = &api;
        scheduler.offer(services);
        auto profiles = plugin::build_profiles(*configuration, *catalog, services);
        if (!profiles) FAIL(profiles.error().text);
        scheduler.use(*std::move(profiles));
        scheduler.observer().node_added(berth::plain_node("n1"));
        scheduler.observer().node_added(berth::plain_node("n2"));
    }

    model::Detail detail() const override { return model::Detail::Summary; }
    void decision(const model::Decision &d) override { decisions.push_back(d); }
    void event(const model::DecisionEvent &) override {}
};

/// How the first attempt at a pod ends.
model::Decision first_attempt(const std::string &library) {
    World world(library);
    world.scheduler.observer().pod_added(berth::plain_pod("p"));
    while (world.clock.run() || world.scheduler.schedule_one()) {
    }
    for (auto &[request, done] : world.api.sent) done({201, "{}"});
    REQUIRE_FALSE(world.decisions.empty());
    return world.decisions.front();
}

}  // namespace

TEST_CASE("attempt: a sound plugin is no obstacle", "[plugin][cycle]") {
    CHECK(first_attempt("sound").result == model::AttemptResult::Scheduled);
    CHECK(first_attempt("ignores_cancel").result == model::AttemptResult::Scheduled);
}

TEST_CASE("attempt: a plugin that misbehaves fails the pod's attempt in one sentence", "[plugin][cycle]") {
    auto message = [](const std::string &library) {
        auto decision = first_attempt(library);
        CHECK(decision.result == model::AttemptResult::Error);
        CHECK(decision.node.empty());
        return decision.message;
    };
    CHECK(message("throws_in_filter") ==
          "running \"Tea\" filter plugin: plugin \"Tea\" threw std::runtime_error: no tea in filter at Filter");
    CHECK(message("throws_int_in_filter") == "running \"Tea\" filter plugin: plugin \"Tea\" threw int at Filter");
    CHECK(message("throws_in_score") ==
          "running Score plugins: plugin \"Tea\" failed with: plugin \"Tea\" threw std::runtime_error: no tea in score "
          "at Score");
    CHECK(message("filter_99") ==
          "running \"Tea\" filter plugin: plugin \"Tea\" answered code 99 at Filter, which is none of the scheduling "
          "framework's (0 to 6)");
    CHECK(message("filter_wait") ==
          "running \"Tea\" filter plugin: answered Wait for node \"n1\", which is no verdict");
    CHECK(message("filter_not_evaluated") == "running \"Tea\" filter plugin: left node \"n1\" without a verdict");
    CHECK(message("filter_bad_reasons") ==
          "running \"Tea\" filter plugin: gave reasons 4711 for node \"n1\", an id it never got");
    CHECK(message("score_101") ==
          "applying score defaultWeights on Score plugins: plugin \"Tea\" returns an invalid score 101, it should in "
          "the range of [0, 100] after normalizing");
}

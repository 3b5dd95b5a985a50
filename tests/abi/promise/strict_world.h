// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A scheduler that runs one hostile library under the strict layer, and what is told of it.

#include "paths.h"
#include "plugin_world.h"
#include "scheduler/scheduler.h"
#include "sim/virtual_clock.h"
#include "sim/virtual_workers.h"
#include "unit/fake_plugin.h"

namespace strict_world {

namespace model = berth::model;
namespace plugin = berth::plugin;

/// A scheduler of two nodes that runs one hostile library under the strict layer, as plugin Tea, and perhaps another
/// one as Milk.
struct World : berth::DecisionSink {
    std::vector<model::Decision> decisions;
    plugin_world::Log log;
    berth::sim::VirtualClock clock{1'767'225'600'000'000'000};
    berth::sim::VirtualWorkers workers{clock};
    plugin_world::Api api;
    plugin_world::Recorder recorder;
    std::optional<berth::Scheduler> scheduler{std::in_place, clock, nullptr, *this, berth::SchedulerSettings{}};

    plugin::Services services;
    plugin::Catalog catalog;

    World(const std::string &library, const std::string &plugins, plugin::Checks checks = plugin::Checks::Strict,
          berth::Scheduler::Extenders extenders = {}, plugin::PluginMetrics *metrics = nullptr,
          const std::string &milk = {})
        : catalog(opened(library, milk)) {
        services.clock = &clock;
        services.api = &api;
        services.log = &log;
        services.checks = checks;
        services.recorder = &recorder;
        services.workers = &workers;
        services.metrics = metrics;
        scheduler->offer(services);
        scheduler->use(build(plugins), std::move(extenders));
        auto kind = model::kind_of("", "v1", "services");
        scheduler->observer().object_changed(kind, nullptr,
                                             berth::any_object(kind, "{kind: Service, metadata: {name: tea}}"));
        scheduler->observer().node_added(berth::plain_node("n1"));
        scheduler->observer().node_added(berth::plain_node("n2"));
    }

    static plugin::Catalog opened(const std::string &library, const std::string &milk) {
        plugin::CatalogOptions options{
            {berth::paths::plugins()}, {{"Tea", plugin_world::hostile(library), {}, {}}}, true};
        if (!milk.empty()) options.pins.push_back({"Milk", plugin_world::hostile(milk), {}, {}});
        auto catalog = plugin::Catalog::open(options);
        if (!catalog) FAIL(catalog.error().text);
        return *std::move(catalog);
    }
    std::vector<plugin::Profile> build(const std::string &plugins) {
        auto configuration = berth::config::read(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
            "profiles: [{plugins: {" +
                plugins + "}}]\n",
            "c.yaml");
        if (!configuration) FAIL(configuration.error().text);
        auto profiles = plugin::build_profiles(*configuration, catalog, services);
        if (!profiles) FAIL(profiles.error().text);
        return *std::move(profiles);
    }

    void add(const std::string &pod) {
        scheduler->observer().pod_added(berth::plain_pod(pod));
        while (clock.run() || scheduler->schedule_one() || answer()) {
        }
    }

    /// The API server does all that it is asked.
    bool answer() {
        auto sent = std::exchange(api.sent, {});
        for (auto &[request, done] : sent) done({201, "{}"});
        return !sent.empty();
    }

    model::Detail detail() const override { return model::Detail::Summary; }
    void decision(const model::Decision &d) override { decisions.push_back(d); }
    void event(const model::DecisionEvent &) override {}
};

inline const std::string everywhere = "multiPoint: {enabled: [{name: Tea}]}";
inline const std::string binding =
    "bind: {disabled: [{name: '*'}], enabled: [{name: Tea}]}, postBind: {enabled: [{name: Tea}]}";
inline const std::string sorting = "queueSort: {disabled: [{name: '*'}], enabled: [{name: Tea}]}";

inline std::string broke(const std::string &where) {
    return "plugin \"Tea\" broke the plugin ABI at " + where + " for pod \"default/";
}

/// What the last of `pods` attempts says after "for pod "default/…": it "; the log has to say the same.
inline std::string told(const std::string &fault, const std::string &point, const std::string &before, int pods = 1,
                        const std::string &plugins = everywhere) {
    World world("strict_" + fault, plugins);
    for (int i = 0; i < pods; ++i) world.add("p" + std::to_string(i));
    REQUIRE_FALSE(world.decisions.empty());
    const auto &last = world.decisions.back();
    CHECK(last.result == model::AttemptResult::Error);
    CHECK(last.pod.name == "p" + std::to_string(pods - 1));
    std::string head = before + broke(point) + last.pod.name + "\": it ";
    if (!last.message.starts_with(head)) return last.message;
    REQUIRE_FALSE(world.log.lines.empty());
    CHECK(std::count(world.log.lines.begin(), world.log.lines.end(), last.message.substr(before.size())) >= 1);
    return last.message.substr(head.size());
}

using Lines = std::vector<std::string>;

/// What the log says once everything is over.
inline Lines log_of(const std::string &fault, const std::string &plugins, int pods = 1) {
    World world("strict_" + fault, plugins);
    for (int i = 0; i < pods; ++i) world.add(std::string(static_cast<std::size_t>(i) + 1, 'p'));
    world.scheduler.reset();
    return world.log.lines;
}

}  // namespace strict_world

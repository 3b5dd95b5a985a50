// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One simulation: the cluster of the options under one configuration.

#include "config/configuration.h"
#include "live/recording.h"
#include "offline/simulation_run.h"
#include "plugin/catalog.h"
#include "report/decision_log.h"
#include "report/log.h"
#include "report/scheduler_metrics.h"
#include "report/shadow.h"
#include "report/simulation.h"
#include "scheduler/scheduler.h"
#include "sim/controllers.h"
#include "sim/scenario.h"
#include "sim/virtual_workers.h"
#include "sim/world.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::offline {

/// The scenario that the command line names; nothing if it names objects.
model::Result<std::optional<sim::Scenario>> scenario_of(const SimulateOptions &options);

/// The release that the options name, or the scenario.
config::Release release_of(const SimulateOptions &options, const std::optional<sim::Scenario> &scenario);
/// The feature gates of the options and of the scenario; a gate that both name has the options' value.
model::Result<std::optional<config::FeatureGates>> gates_of(const SimulateOptions &options,
                                                            const std::optional<sim::Scenario> &scenario);
/// The configuration in the file, with these gates; for an empty path the scenario's, or the built-in one.
model::Result<config::Configuration> configuration_of(const SimulateOptions &options, const std::string &path,
                                                      const std::optional<sim::Scenario> &scenario,
                                                      const std::optional<config::FeatureGates> &gates);
/// Is `path` one of the files that are read?
bool is_input(const SimulateOptions &options, const std::string &path);

/// Everything stays as it ended. Loop only.
class Simulated {
public:
    using Scenario = std::optional<sim::Scenario>;
    using Warn = std::function<void(const std::vector<std::string> &)>;

    /// All outlive it. Without a journal nothing is recorded.
    Simulated(const SimulateOptions &options, const Scenario &scenario, const config::Configuration &configuration,
              Warn warn, std::optional<record::JournalWriter> journal = {});
    /// `observer` gets every change of the cluster.
    void watch(env::Observer &observer) { world_.store().watch(observer); }

    /// Makes the plugins; once, first. The error is what is wrong with them or with the configuration.
    model::Result<void> prepare(plugin::Catalog &catalog);
    /// Makes the shadow's; after prepare(), if the options name one.
    model::Result<void> prepare_shadow();
    /// Makes a shadow of that configuration. Everything lives as long as this; of the differences `kept` are kept.
    model::Result<void> prepare_shadow(const config::Configuration &configuration, plugin::Catalog &catalog,
                                       std::size_t kept);
    /// Once. The error is what is wrong with the input.
    model::Result<report::Simulation> run();

    /// Without the pods about which something was decided.
    const sim::Input &input() const { return *input_; }
    const SimulationSink &sink() const { return sink_; }
    SimulationSink &sink() { return sink_; }
    Scheduler &scheduler() { return scheduler_; }
    sim::VirtualClock &clock() { return clock_; }
    const std::vector<std::string> &profiles() const { return profiles_; }  ///< their names
    std::string release() const { return configuration_.release.text(); }   ///< as which it decides
    report::SchedulerMetrics &meter() { return *meter_; }                   ///< for the dashboard alone

private:
    model::Result<std::vector<sim::Finding>> play();
    void start(env::Observer &observer);
    report::Simulation summarize() const;
    plugin::Services services();

    const SimulateOptions &options_;
    const Scenario &scenario_;
    const config::Configuration &configuration_;
    Warn warn_;
    report::DecisionLog log_;
    report::KlogLog klog_;
    live::ShadowLog shadow_log_{klog_};
    sim::VirtualClock clock_{simulated_start_ns};
    sim::World world_{clock_};
    SimulationSink sink_;
    EventList events_{clock_};
    sim::VirtualWorkers workers_{clock_};
    std::optional<report::SchedulerMetrics> meter_;
    const SchedulerSettings settings_;
    live::Recording recording_;
    Scheduler scheduler_;
    std::vector<std::string> profiles_;
    std::vector<model::Kind> kinds_;  ///< that plugins watch; from run() on also those that they only read
    std::vector<model::Kind> used_;   ///< that plugins watch or read
    std::optional<sim::Input> input_;
    model::InputReport report_;  ///< on it
    struct {
        std::uint64_t placed = 0, without_node = 0, other_scheduler = 0, deleted = 0;
    } before_;  ///< pods of the input
    sim::Operations operations_{world_.store()};
    std::optional<sim::Controllers> controllers_;
};

}  // namespace berth::offline

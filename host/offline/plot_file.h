// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth simulate --plot FILE`: the file with the plot of a simulation.

#include "offline/simulated.h"
#include "report/time_series.h"

#include <memory>
#include <string>
#include <vector>

namespace berth::offline {

/// What the simulations are called: their configurations' paths, in order, each once: the second "a.yaml" is
/// "a.yaml (2)". Without a path: where the configuration is from.
std::vector<std::string> names_of(const SimulateOptions &options, const std::optional<sim::Scenario> &scenario);

/// Without `--plot` every function does nothing.
class PlotFile {
    std::string path_;
    std::unique_ptr<report::TimeSeries> series_;  ///< of the simulation that runs
    std::vector<report::Curves> curves_;

public:
    /// The error is what is wrong with the name.
    model::Result<void> set(const SimulateOptions &options);
    /// Before the simulation runs, and after it.
    void watch(Simulated &simulated);
    void take(const Simulated &simulated, std::string name);
    model::Result<void> write(const std::optional<sim::Scenario> &scenario) const;
};

}  // namespace berth::offline

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth simulate` with several `--config`: it simulates the same cluster under each configuration and compares.

#include "cli/simulate.h"
#include "offline/plot_file.h"
#include "sim/scenario.h"

#include <optional>

namespace berth::cli {

/// Simulates one after the other and prints what came of each; returns the exit code.
int compare(const offline::SimulateOptions &options, const std::optional<sim::Scenario> &scenario,
            const std::optional<config::FeatureGates> &gates, offline::PlotFile &plot);

}  // namespace berth::cli

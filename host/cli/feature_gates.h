// SPDX-License-Identifier: Apache-2.0
#pragma once

/// kube-scheduler's feature-gate flags, and the table of `berth version --feature-gates`.

#include "config/feature_gates.h"
#include "live/run.h"

#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours to choose
class App;
}

namespace berth::cli {

/// `into` outlives the app.
void add_gates(CLI::App &app, config::GateFlags &into);
/// An option whose values are gates, as kube-scheduler's --feature-gates.
void add_gates(CLI::App &app, const char *name, std::vector<std::string> &into, const char *help);
/// The flags of gates that were given and change nothing.
std::vector<live::IdleFlag> idle_gates(const config::FeatureGates &gates);
/// A table of all gates with the values that the flags give them. Returns the exit code.
int print_gates(const config::GateFlags &flags, config::Release release);

}  // namespace berth::cli

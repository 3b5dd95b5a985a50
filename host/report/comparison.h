// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The comparison of simulations under several configurations, as a table and as an object.

#include "report/simulation.h"
#include "report/simulation_summary.h"

#include <set>
#include <string>
#include <vector>

namespace berth::report {

/// What is left of a simulation when the next one runs.
struct Compared {
    std::string name;                         ///< of its configuration
    std::set<std::string> requested_scalars;  ///< scalars that a pod asks for
    SimulationSummary summary;
    std::size_t held = 0, expected = 0;  ///< of a scenario's expectations
    model::InputReport input{};
    std::string kubernetes_version{};  ///< the release that decided, the same for all
};
Compared compared(std::string name, const Simulation &simulation);

/// A table with a column for each; not empty.
std::string to_text(const std::vector<Compared> &all);

/// `{apiVersion: berth/v1alpha1, kind: SimulationComparison, configurations: […]}`.
model::TreePtr to_tree(const std::vector<Compared> &all);

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects that a cluster dump lacks although its pods name them. Without these objects a simulation gives answers
/// that the cluster would not.

#include "model/input_report.h"
#include "sim/input.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::sim {

/// Nodes, and objects of the input's kinds, that its pods need and that it lacks. `profiles`: pods that have no node
/// and ask for another scheduler need nothing.
std::vector<model::MissingObjects> missing_objects(const Input &input, std::span<const std::string> profiles);

/// The PodDisruptionBudgets, if a plugin watches them, the input has none, and that many of its pods were preempted.
std::optional<model::MissingObjects> missing_budgets(const Input &input, std::uint64_t preempted);

/// The kubectl command that prints what the input holds, with the kinds that are missing and those that they refer to;
/// "" if the cluster has nothing of what is missing.
std::string dump_command(const Input &input, std::span<const model::MissingObjects> missing);

}  // namespace berth::sim

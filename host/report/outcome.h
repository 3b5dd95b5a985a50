// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What simulations of one cluster came to, to be compared.

#include "model/build.h"
#include "model/value.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// What is compared of a simulation.
struct Outcome {
    static constexpr std::size_t tenths = 10;
    struct Resource {
        std::string name;  ///< "cpu" in milli-CPU, "memory" in bytes, "pods", and scalars
        std::int64_t requested = 0, allocatable = 0;
        /// How many of the nodes that have it are asked for less than a tenth of it, how many for less than two, and so
        /// on; the last are the rest.
        std::array<std::uint64_t, tenths> nodes{};
    };
    std::int64_t scheduled = 0, pending = 0, evicted = 0;
    std::int64_t nodes_in_use = 0;               ///< with a pod on them, at the end
    std::vector<Resource> resources;             ///< in the order in which nodes name them
    std::map<std::string, std::string> node_of;  ///< of the pods that were placed, by "namespace/name"
};

/// Of a SimulationResult (report/simulation.h).
Outcome outcome_of(model::Value result);

/// `{scheduled, pending, evicted, nodesInUse, resources}`.
model::ObjectBuilder outcome_value(model::Arena &arena, const Outcome &outcome);

/// The pods that are not on the same node in both, by "namespace/name", with the node in each; "": on none.
std::map<std::string, std::pair<std::string, std::string>> differences(const Outcome &before, const Outcome &after);

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Two simulations of one cluster side by side, as JSON (docs/explain.md).

#include "model/build.h"
#include "model/value.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
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
    std::vector<Resource> resources;             ///< in the order in which nodes name them
    std::map<std::string, std::string> node_of;  ///< of the pods that were placed, by "namespace/name"
};

/// Of a SimulationResult (report/simulation.h).
Outcome outcome_of(model::Value result);

/// Adds `before`, `after`, `differing` and the first `most` of these as `differences`.
void add_comparison(model::Arena &arena, model::ObjectBuilder &to, const Outcome &before, const Outcome &after,
                    std::size_t most);

}  // namespace berth::report

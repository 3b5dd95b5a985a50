// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The compared figures of a simulation, and the pods that two simulations place differently.

#include "model/build.h"
#include "model/value.h"
#include "report/device_use.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// The compared figures of one simulation.
struct SimulationSummary {
    static constexpr std::size_t tenths = 10;
    struct Resource {
        std::string name;  ///< "cpu" in milli-CPU, "memory" in bytes, "pods", and scalars
        std::int64_t requested = 0, allocatable = 0;
        /// The number of its nodes by requested share: below one tenth, below two, and so on; the last are the rest.
        std::array<std::uint64_t, tenths> nodes{};
    };
    std::int64_t scheduled = 0, pending = 0, evicted = 0;
    std::int64_t nodes_in_use = 0;               ///< with a pod on them, at the end
    std::vector<Resource> resources;             ///< in the order in which nodes name them
    std::vector<DeviceModel> devices;            ///< those of ResourceSlices
    std::map<std::string, std::string> node_of;  ///< of the pods that were placed, by "namespace/name"
};

/// Of a SimulationResult (report/simulation.h).
SimulationSummary summary_of(model::Value result);

/// `{scheduled, pending, evicted, nodesInUse, resources, devices}`; without devices it has no such list.
model::ObjectBuilder summary_value(model::Arena &arena, const SimulationSummary &summary);

/// The pods that are not on the same node in both, by "namespace/name", with the node in each; "": on none.
std::map<std::string, std::pair<std::string, std::string>> differences(const SimulationSummary &before,
                                                                       const SimulationSummary &after);

}  // namespace berth::report

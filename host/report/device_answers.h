// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API's answers about devices, as JSON (docs/explain.md).

#include "model/value.h"
#include "report/explanation.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// The objects that devices and their use are read from. Shares them; any thread may have one.
struct DeviceObjects {
    Answerer by;
    bool watched = false;  ///< a plugin watches ResourceSlices; otherwise there are no objects
    std::vector<model::TreePtr> slices{}, claims{};  ///< ResourceSlices and ResourceClaims
    std::vector<std::string> warnings{};             ///< what may be missing in the sums
};

/// `kind: DeviceUse`: the sums by model, and by node and model, the fullest first; at most so many rows of each.
std::string device_use_json(const DeviceObjects &objects, std::size_t most);
/// `kind: NodeDevices`: each of the devices that this node has for itself, with the claims and pods that have it; at
/// most so many devices.
std::string node_devices_json(const DeviceObjects &objects, std::string_view node, std::size_t most);

}  // namespace berth::report

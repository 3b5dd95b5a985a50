// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The devices that ResourceSlices publish, by node, driver and model, and how many of them ResourceClaims have.

#include "model/value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::report {

/// The devices of one model on one node.
struct DeviceUse {
    std::string node;    ///< empty: several nodes reach them
    std::string driver;  ///< such as "gpu.nvidia.com"
    std::string model;   ///< as its attributes have it (model_of); empty: they have none
    std::uint64_t devices = 0;
    std::uint64_t allocated = 0;  ///< of `devices`: at least one claim has it, not for admin access
    /// Of `devices`: none has it, and the counters that it shares with others suffice. Partitions of one device are
    /// each free until one of them takes what the others need.
    std::uint64_t free = 0;
};

/// The name of a device's model in its `attributes`: the first text of productName, model and type, whatever domain
/// stands before it, and profile, which partitions have.
std::string model_of(model::Value attributes);

/// By node, driver and model. Only a pool's newest generation counts. What is no object of its kind has no devices.
std::vector<DeviceUse> device_use(const std::vector<model::TreePtr> &slices, const std::vector<model::TreePtr> &claims);

/// Tables; long ones are cut unless `all`. Empty without devices.
std::string device_text(const std::vector<DeviceUse> &uses, bool all);
/// A list of objects with the members of DeviceUse.
berth_value device_values(model::Arena &arena, const std::vector<DeviceUse> &uses);

}  // namespace berth::report

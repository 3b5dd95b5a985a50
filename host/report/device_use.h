// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The devices that ResourceSlices publish, by node, driver and model, and how many of them ResourceClaims have.

#include "model/build.h"
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

/// The devices of one model on all nodes.
struct DeviceModel {
    std::string driver, model;
    std::uint64_t devices = 0, allocated = 0, free = 0;  ///< as of DeviceUse
    std::uint64_t nodes = 0;                             ///< that have some for themselves
};

/// By node, driver and model. Only a pool's newest generation counts. What is no object of its kind has no devices.
/// Any thread.
std::vector<DeviceUse> device_use(const std::vector<model::TreePtr> &slices, const std::vector<model::TreePtr> &claims);
/// Their sums, by driver and model.
std::vector<DeviceModel> device_models(const std::vector<DeviceUse> &uses);
/// Those first of which the smallest share is free; they live as long as `uses`.
std::vector<const DeviceUse *> fullest_first(const std::vector<DeviceUse> &uses);

/// Tables; long ones are cut unless `all`. Empty without devices.
std::string device_text(const std::vector<DeviceUse> &uses, bool all);

/// An object with the members of DeviceUse, without an unknown node or model.
model::ObjectBuilder device_value(model::Arena &arena, const DeviceUse &use);
/// The same of a DeviceModel.
model::ObjectBuilder device_value(model::Arena &arena, const DeviceModel &sum);
/// A list of the former, and what such a list says.
berth_value device_values(model::Arena &arena, const std::vector<DeviceUse> &uses);
std::vector<DeviceUse> read_device_values(model::Value list);

}  // namespace berth::report

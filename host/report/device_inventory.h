// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The inventory of devices that ResourceSlices publish, each with the ResourceClaims that have it.

#include "model/value.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// A device of the newest generation of its pool. The views point into the slices.
struct InventoryDevice {
    /// A claim that has the device: alone, with others that share it, or for admin access, which takes nothing.
    struct Holder {
        std::size_t claim = 0;  ///< index into the claims
        bool admin_access = false;
    };
    std::string_view driver, pool, name;
    std::string_view node;          ///< empty: several nodes reach it
    model::Value published;         ///< as its slice has it
    std::vector<Holder> holders{};  ///< in the order of the claims, each claim once
    bool allocated = false;         ///< a claim has it, not for admin access
    /// No claim has it, and the counters that it shares with others suffice.
    bool free = true;
};

/// Sorted by driver, pool and name. Only a pool's newest generation counts. What is no object of its kind has no
/// devices. Any thread.
std::vector<InventoryDevice> device_inventory(const std::vector<model::TreePtr> &slices,
                                              const std::vector<model::TreePtr> &claims);

/// The name of a device's model in its `attributes`: the first text of productName, model and type, whatever domain
/// stands before it, and profile, which partitions have.
std::string model_of(model::Value attributes);

}  // namespace berth::report

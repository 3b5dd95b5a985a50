// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The device pools that a node can use (upstream: GatherPools).

#include "inventory.h"

namespace kubernetes::devices {

/// The node that devices are looked for.
struct NodeView {
    std::string_view name;
    std::span<const berth_label> labels;  ///< sorted by key
};

/// What keeps upstream from going on; its text is complete.
struct Fatal {
    std::string text;
};

/// The devices of one pool that a node may use.
struct Pool {
    std::string_view driver, name;
    enum class State { Usable, Incomplete, Invalid };
    State state = State::Usable;
    std::string fault = {};                        ///< of an invalid one
    std::vector<const Slice *> slices = {};        ///< with devices, sorted by name
    std::vector<const Slice *> elsewhere = {};     ///< the pool's slices with devices that do not reach the node
    std::vector<const Slice *> counter_sets = {};  ///< the slices that hold these

    std::string id() const { return std::string(driver).append("/").append(name); }
};

/// Whether the node is among those of the selection. Throws Fatal.
bool matches(const NodeSelection &selection, const NodeView &node);

/// The pools that reach a node, in the order in which their devices are tried (GatherPools). Throws Fatal.
std::vector<Pool> gather_pools(const Inventory &inventory, const NodeView &node);

}  // namespace kubernetes::devices

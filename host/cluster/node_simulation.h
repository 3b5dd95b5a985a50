// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A node in the snapshot as it would be with pods added or removed.

#include "cluster/cache.h"
#include "cluster/columns.h"

#include <vector>

namespace berth::cluster {

/// Changes one slot of the snapshot in place, and puts everything back as it was when it ends: sums, rows and their
/// order, declared columns, the generation. Nothing is copied but the list of the slot's rows. Arrays that must grow
/// meanwhile are kept as they were (cluster/kept_arrays.h), and are put back as well. Every change gives the
/// slot a generation that it never had, which invalidates every cached result. Simulations of one slot may be nested;
/// otherwise the cache does not change meanwhile. Loop only.
class NodeSimulation {
public:
    /// `slot` holds a node.
    NodeSimulation(Cache &cache, std::uint32_t slot);
    ~NodeSimulation();
    NodeSimulation(const NodeSimulation &) = delete;
    NodeSimulation &operator=(const NodeSimulation &) = delete;

    std::uint32_t slot() const { return slot_; }
    /// Takes the pod of a row from the node; the row is empty, and stays the pod's. False if it is not on the node.
    bool take(std::uint32_t row);
    /// Puts back what this simulation took; it comes last among the node's pods then. False for any other row.
    bool give_back(std::uint32_t row);
    /// Puts a pod on the node that is placed nowhere. It outlives the simulation.
    void put(const model::Pod &pod);

private:
    void account(const model::Pod &pod, int sign);

    Columns &columns_;
    std::uint32_t slot_;
    std::uint64_t generation_;
    PodTable::List rows_;  ///< as they were
    std::vector<std::uint32_t> taken_, put_;
    std::vector<ColumnData::Mark> lists_;  ///< of declared columns, as they were
    bool lists_marked_ = false;
};

}  // namespace berth::cluster

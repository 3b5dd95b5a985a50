// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cluster as the scheduler believes it to be: nodes, placed pods, and pods it has itself just placed.
///
///            assume              confirm (the watch says so)
///   (none) ─────────► assumed ─────────────► placed ──► removed
///                        │ forget                ▲
///                        └────────► (none)       └── add (placed by somebody else)
///
/// An assumed pod leaves only by confirmation, forget or deletion; there is no expiry (spec 3.2). Nodes removed while
/// pods remain are kept as ghosts, absent from the snapshot, until their last pod is gone (spec 5).
/// Loop only.

#include "model/node.h"

#include <berth/view/nodes.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace berth::cluster {

class Columns;  // the snapshot's column store

class Cache {
public:
    Cache();
    ~Cache();

    void add_node(model::NodePtr node);
    void update_node(model::NodePtr node);
    void remove_node(std::string_view name);

    /// A pod with a node name, seen by the watch: adds it, or confirms an assumed one.
    void add_pod(model::PodPtr pod);
    void update_pod(model::PodPtr pod);
    void remove_pod(const model::Pod &pod);

    void assume(model::PodPtr pod);  ///< a copy with its node name set (model::assumed_copy)
    void forget(const model::Pod &pod);
    bool is_assumed(std::string_view uid) const;

    std::size_t node_count() const;
    std::size_t pod_count() const;  ///< placed and assumed
    model::NodePtr node(std::string_view name) const;

    /// The columns, patched for everything that changed since the last call. Valid until the next change; the visiting
    /// order is upstream's zone tree (spec 3.1.2).
    const berth_nodes &snapshot();

    /// A declared column's id (berth.columns/1); filled at once.
    std::uint32_t declare_column(std::uint32_t kind, std::string_view key);

    /// A table of one row (slot 0) for an event: `node` with the pods that are placed on it now. Codes are those of the
    /// snapshot. Valid until the next call of one_node with the same `which` (0 or 1), or the next change.
    const berth_nodes &one_node(int which, const model::Node &node);

private:
    std::unique_ptr<Columns> columns_;
};

}  // namespace berth::cluster

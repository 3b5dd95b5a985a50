// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A table of one node with its pods, by which plugins see the node before or after an event. The node has slot 0.

#include "cluster/node_table.h"

namespace berth::cluster {

/// Shares the snapshot's schema, hence its codes. A declared column is filled when it is first requested. Loop only.
class OneNode {
    PodTable pods_;
    NodeTable nodes_;

public:
    explicit OneNode(Schema &schema) : pods_(schema), nodes_(schema, pods_) {}

    /// A column ends.
    void forget(const Declaration &column) {
        if (column.of_nodes()) nodes_.forget(column);
        else pods_.forget(column);
    }
    /// `slot` is the node's in `pods`, or BERTH_NO_SLOT. The node and its pods are pointed to, not owned.
    const berth_nodes &set(const model::Node &node, const PodTable &pods, std::uint32_t slot, std::uint64_t id) {
        nodes_.reset();
        auto here = nodes_.add_slot(node.name);
        nodes_.write(here, node);
        nodes_.touch(here, id);
        if (slot != BERTH_NO_SLOT) {
            for (auto row : pods.rows_of(slot)) {
                pods_.place(pods.pod(row), pods.flags(row), here);
                nodes_.account(here, pods.pod(row), 1);
            }
        }
        nodes_.reorder([&](auto &order) { order.assign(1, here); });
        nodes_.set_snapshot_id(id);
        return nodes_.view();
    }
    /// Dictionaries have moved.
    void refresh() {
        nodes_.refresh();
        pods_.refresh();
    }
};

}  // namespace berth::cluster

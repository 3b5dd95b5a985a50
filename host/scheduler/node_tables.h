// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The tables in which queueing hints see the old and the new node of an event.

#include "cluster/cache.h"
#include "queue/hints.h"

namespace berth::scheduler {

class NodeTables final : public queue::NodeTables {
    cluster::Cache &cache_;

public:
    explicit NodeTables(cluster::Cache &cache) : cache_(cache) {}
    const berth_nodes *table(int which, const model::Node &node) override { return &cache_.one_node(which, node); }
    std::uint32_t slot(std::string_view node_name) override { return cache_.slot(node_name); }
};

}  // namespace berth::scheduler

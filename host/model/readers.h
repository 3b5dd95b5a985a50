// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The readers of many pods and nodes, which share equal parts in memory. Most pods are made from a template, and a
/// cluster has few kinds of nodes.

#include "model/node.h"
#include "model/pod.h"
#include "model/shared_values.h"

namespace berth::model {

/// One thread at a time.
class PodReader {
    SharedValues specs_, statuses_;
    std::vector<berth_kv> members_;  ///< room for a spec without its node

public:
    /// As read_pod. The pod's tree is a copy of `tree` that takes as little room as it can.
    PodPtr read(const TreePtr &tree, const FaultSink &fault, Accounting accounting = Accounting::PerContainer);
};

/// One thread at a time.
class NodeReader {
    SharedValues statuses_;

public:
    /// As read_node. The node's tree is a copy of `tree` that takes as little room as it can.
    NodePtr read(const TreePtr &tree, const FaultSink &fault);
};

}  // namespace berth::model

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A node, decoded once when it arrives. See pod.h.

#include "model/pod.h"

namespace berth::model {

/// An image that a node holds: all its names.
struct NodeImage {
    std::span<const berth_str> names;
    std::int64_t size_bytes = 0;
};

/// A node. Immutable. All views point into its own memory.
struct Node : Object {
    std::string_view name;
    std::string_view uid;
    bool unschedulable = false;
    berth_resources allocatable{};  ///< cpu, memory, ephemeral-storage and every scalar, sorted by name
    std::int64_t allocatable_pods = 0;
    std::span<const berth_label> labels;       ///< sorted by key
    std::span<const berth_label> annotations;  ///< sorted by key
    std::span<const berth_taint> taints;       ///< in the node's order
    std::span<const NodeImage> images;
    std::string zone_key;  ///< region ":" NUL ":" zone, or "" if neither label is there (spec 3.1)

    berth_object_meta meta() const override;
    std::string_view label(std::string_view key) const;  ///< "" if absent
    Arena arena;
};
using NodePtr = std::shared_ptr<const Node>;

/// Decodes a v1 Node. Without `allocatable` the capacity counts; a node without a uid gets one made of its name
/// (model/field.h). Returns nullptr after reporting every fault; unknown fields are none.
NodePtr read_node(TreePtr tree, const FaultSink &fault);

}  // namespace berth::model

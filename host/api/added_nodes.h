// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Nodes that a what-if request adds, copied from a node of the cluster or described in the request.

#include "kube/served.h"
#include "model/node.h"
#include "model/value.h"

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::api {

inline constexpr std::int64_t most_added_nodes = 5000;
/// Bytes of YAML: 64 KiB of labels, on each of them, would fill the memory of the process that writes them.
inline constexpr std::size_t most_added_text = std::size_t{32} << 20;

/// Finds a node by its name; nullptr if there is none.
using FindNode = std::function<model::NodePtr(std::string_view)>;

/// The nodes that `[{"like": NODE, "count": N, "allocatable": {RESOURCE: QUANTITY}, "labels": {KEY: VALUE}, "taints":
/// [{"key", "value", "effect"}]}]` asks for, as YAML documents, or what is wrong with it; `field` is its own.
/// `allocatable` and `labels` are merged with those of the node that it is like, `taints` take the place of its own,
/// and images, conditions and annotations are not those of a new node. Without `like`, `allocatable` says how much cpu,
/// memory and pods there are. No two have one name, and none has one that `find` knows.
/// More than `most_added_text` is refused.
std::variant<std::string, std::vector<kube::Cause>> added_nodes(model::Value wanted, const FindNode &find,
                                                                const std::string &field);

}  // namespace berth::api

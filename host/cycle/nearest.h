// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The smallest changes after which a pod that fits nowhere would fit. It is made of what plugins say, their verdicts
/// and reasons, and of the objects; for reasons in the words of kube-scheduler's plugins, whoever says them, it tells
/// what is missing.

#include "cycle/search.h"
#include "model/near_change.h"

#include <map>
#include <string>
#include <vector>

namespace berth::cycle {

/// What the pods on a node ask for, with those that are promised it and come first.
struct NodeSums {
    std::map<std::string, std::int64_t, std::less<>> requested;  ///< by resource; cpu: milli-CPU
    std::int64_t pods = 0;
    void add(const berth_resources &of);
};

/// What would answer the plugin that rejects the node with this verdict.
model::NearChange change_of(const berth_pod &pod, const model::Node &node, const NodeSums &sums,
                            const model::Status &verdict);

/// Of changes that differ in their amounts alone the smallest, which counts the others; the `most` smallest of these:
/// fewer parts first, then by kind, size and the node's name.
std::vector<model::NearChange> smallest(std::vector<model::NearChange> all, std::size_t most);

/// For the pod of a search that ended with Unfit at Filter, of the nodes that it judged. Every node that exactly one
/// plugin rejects counts: the others are asked what they say of it. Calls PreFilter and Filter.
std::vector<model::NearChange> nearest(const Search &search, const std::vector<model::NodeRecord> &judged,
                                       std::size_t most);

}  // namespace berth::cycle

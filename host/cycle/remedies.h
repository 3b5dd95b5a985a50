// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Remedies: the smallest changes after which a pending pod would fit (berth.remedy/draft1). The plugins that reject
/// its nodes say them.

#include "cycle/search.h"
#include "model/remedy.h"

#include <vector>

namespace berth::cycle {

/// Of remedies that differ in their amounts alone the smallest, which counts the others; the first `most` of these: by
/// the change that asks most of people, then by number of changes, size and the node's name. Each has a change.
std::vector<model::Remedy> smallest_remedies(std::vector<model::Remedy> all, std::size_t most);

/// For the pod of a search that ended with Unfit at Filter, of the nodes that it judged. A node counts if each plugin
/// that rejects it knows a remedy. Calls PreFilter, Filter and Remedy, also of plugins that an attempt does not reach.
/// Loop only.
std::vector<model::Remedy> find_remedies(const Search &search, const std::vector<model::NodeRecord> &judged,
                                         std::size_t most);

}  // namespace berth::cycle

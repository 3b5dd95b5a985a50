// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Versions of lists of nodes, by which a cache finds the nodes that have changed.

#include "cycle/search.h"

#include <algorithm>
#include <span>

namespace berth::cycle {

/// All nodes in visiting order, from where the visit begins. Loop only.
class VisitOrder {
    std::uint64_t version_ = 0, order_ = 0;
    std::uint32_t start_ = 0;
    std::vector<std::uint32_t> index_;  ///< by slot

public:
    /// Takes the list of this search; its version, never 0, is another one if the list differs from the last one's.
    std::uint64_t take(const Search &search, std::uint32_t start, std::span<const std::uint32_t> slots) {
        if (version_ != 0 && order_ == search.cache.order_id() && start_ == start) return version_;
        order_ = search.cache.order_id();
        start_ = start;
        index_.assign(search.nodes.slots, BERTH_NO_SLOT);
        for (std::uint32_t i = 0; i < slots.size(); ++i) index_[slots[i]] = i;
        return ++version_;
    }
    /// BERTH_NO_SLOT: the slot is not in the list.
    std::uint32_t index_of(std::uint32_t slot) const { return slot < index_.size() ? index_[slot] : BERTH_NO_SLOT; }

    /// Adds the indices of the nodes that have changed since that snapshot; false if there were too many changes.
    bool add_changed(const Search &search, std::uint64_t since, std::vector<std::uint32_t> &indices) const {
        const auto before = indices.size();
        if (!search.cache.add_changed(since, indices)) return false;
        for (auto i = before; i < indices.size(); ++i) indices[i] = index_of(indices[i]);
        std::erase(indices, BERTH_NO_SLOT);
        return true;
    }
};

/// The nodes that a search has found, in visiting order.
struct Feasible {
    std::span<const std::uint32_t> slots;
    std::uint64_t version = 0;          ///< equal for equal lists; 0: none
    const VisitOrder *order = nullptr;  ///< with a version: all nodes
    std::span<const std::uint32_t>
        rejected{};  ///< with a version: the nodes that are not in `slots`, by index, ascending

    /// With a version: adds the indices in `slots` of the nodes that have changed since that snapshot, ascending, each
    /// once. False if there were too many changes.
    bool add_changed(const Search &search, std::uint64_t since, std::vector<std::uint32_t> &indices) const {
        if (!order->add_changed(search, since, indices)) return false;
        std::ranges::sort(indices);
        const auto again = std::ranges::unique(indices);
        indices.erase(again.begin(), again.end());
        std::erase_if(indices, [&](auto index) { return std::ranges::binary_search(rejected, index); });
        for (auto &index : indices)
            index -= static_cast<std::uint32_t>(std::ranges::lower_bound(rejected, index) - rejected.begin());
        return true;
    }
};

}  // namespace berth::cycle

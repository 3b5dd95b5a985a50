// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Lists of nodes that stay the same from search to search, so that only nodes that have changed need a look.

#include "cycle/search.h"

#include <algorithm>
#include <span>

namespace berth::cycle {

/// The list of all nodes in visiting order, from where the visit begins. Loop only.
class WholeVisit {
    std::uint64_t id_ = 0, order_ = 0;
    std::uint32_t start_ = 0;
    std::vector<std::uint32_t> place_;  ///< by slot

public:
    /// Takes the list of this search. Its id is another one if it is not the list of the search before; never 0.
    std::uint64_t take(const Search &search, std::uint32_t start, std::span<const std::uint32_t> slots) {
        if (id_ != 0 && order_ == search.cache.order_id() && start_ == start) return id_;
        order_ = search.cache.order_id();
        start_ = start;
        place_.assign(search.nodes.slots, BERTH_NO_SLOT);
        for (std::uint32_t i = 0; i < slots.size(); ++i) place_[slots[i]] = i;
        return ++id_;
    }
    /// BERTH_NO_SLOT: it is not in the list.
    std::uint32_t place_of(std::uint32_t slot) const { return slot < place_.size() ? place_[slot] : BERTH_NO_SLOT; }

    /// Adds the places of the nodes that have changed since that snapshot; false if there were too many changes.
    bool add_changed(const Search &search, std::uint64_t since, std::vector<std::uint32_t> &places) const {
        const auto before = places.size();
        if (!search.cache.add_changed(since, places)) return false;
        for (auto i = before; i < places.size(); ++i) places[i] = place_of(places[i]);
        std::erase(places, BERTH_NO_SLOT);
        return true;
    }
};

/// The nodes that one search has found.
struct Feasible {
    std::span<const std::uint32_t> slots;       ///< in visiting order
    std::uint64_t id = 0;                       ///< two lists with the same one are the same; 0: nothing is known
    const WholeVisit *visit = nullptr;          ///< with an id: all nodes
    std::span<const std::uint32_t> rejected{};  ///< with an id: which of them are not in the list, by place, ascending

    /// With an id: adds the places of the nodes that have changed since that snapshot, ascending, each once. False if
    /// there were too many changes.
    bool add_changed(const Search &search, std::uint64_t since, std::vector<std::uint32_t> &places) const {
        if (!visit->add_changed(search, since, places)) return false;
        std::ranges::sort(places);
        const auto again = std::ranges::unique(places);
        places.erase(again.begin(), again.end());
        std::erase_if(places, [&](auto place) { return std::ranges::binary_search(rejected, place); });
        for (auto &place : places)
            place -= static_cast<std::uint32_t>(std::ranges::lower_bound(rejected, place) - rejected.begin());
        return true;
    }
};

}  // namespace berth::cycle

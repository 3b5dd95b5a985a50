// SPDX-License-Identifier: Apache-2.0
#include "allocator.h"

#include "node_selector_json.h"
#include "search.h"

namespace kubernetes::devices {

Allocation Allocator::allocate(const NodeView &node, const Claims &claims, const Stop &stop) const {
    Allocation out;
    try {
        Search search(*this, node, claims, stop);
        const bool found = search.run();
        out.steps = search.steps();
        if (!found) {
            if (search.invalid_pools()) out.text = "invalid resource pools were encountered";
            return out;
        }
        out.claims = search.take_result();
        for (std::size_t i = 0; i < claims.size(); ++i) node_selector_json(*claims[i], out.claims[i], node.name);
        out.outcome = Allocation::Outcome::Found;
    } catch (const Fatal &fatal) {
        out.outcome = Allocation::Outcome::Error;
        out.text = fatal.text;
    } catch (const Search::Stopped &) {
        out.outcome = Allocation::Outcome::Stopped;
    }
    return out;
}

std::string Allocator::lacks(const NodeView &node, const Claims &claims, const Stop &stop) const {
    try {
        return Search(*this, node, claims, stop).lacks();
    } catch (const Fatal &) {  // of the claims, and not of the node
    } catch (const Search::Stopped &) {
    }
    return {};
}

const Allocator::CounterStock &Allocator::counters(const Pool &pool) const {
    const std::lock_guard lock(mutex_);
    auto [found, fresh] = counters_.try_emplace(key_of(pool));
    auto &stock = found->second;
    if (!fresh) return stock;
    for (const auto *slice : pool.counter_sets)
        for (const auto &set : slice->shared_counters)
            for (const auto &[counter, amount] : set.counters) {
                stock.places.emplace(std::pair<std::string_view, std::string_view>{set.name, counter},
                                     stock.available.size());
                stock.available.push_back(amount);
            }
    for (const auto *slices : {&pool.slices, &pool.elsewhere})
        for (const auto *slice : *slices)
            for (const auto &device : slice->devices) {
                if (device.consumes.empty() || !uses_.contains(device.id)) continue;
                stock.each(device, [&](std::size_t at, const auto &amount) { stock.available[at] -= amount; });
            }
    return stock;
}

}  // namespace kubernetes::devices

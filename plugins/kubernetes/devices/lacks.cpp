// SPDX-License-Identifier: Apache-2.0
#include "search.h"

#include <algorithm>

namespace kubernetes::devices {

namespace {

std::string counted(std::int64_t n) { return std::to_string(n) + (n == 1 ? " device" : " devices"); }

}  // namespace

std::vector<std::string> Search::lacks() {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < claims_.size(); ++i) {
        validate(*wanted_[i], i);
        for (auto &demand : claims_[i].demands) {
            std::string what;
            for (auto &state : demand.alternatives) {
                what = lack(i, state);
                if (what.empty()) break;
            }
            if (!what.empty()) out.push_back(std::move(what));
        }
    }
    return out;
}

/// Of the tests that a device must pass, the first one that leaves too few of them; empty: none does.
std::string Search::lack(std::size_t claim_index, RequestState &state) {
    const auto &request = *state.request;
    const auto &claim = *wanted_[claim_index];
    const auto needed = request.mode == Request::Mode::All ? std::max<std::int64_t>(1, state.devices) : request.count;
    const auto whose = "request " + request.full_name() + " of claim " + claim.full_name();
    const auto needs = " (needs " + std::to_string(needed) + "; ";
    std::vector<std::size_t> left(candidates_.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    std::int64_t before = 0, have = 0;
    auto too_few = [&](auto &&passes) {
        before = static_cast<std::int64_t>(left.size());
        std::erase_if(left, [&](std::size_t i) { return !passes(i); });
        have = static_cast<std::int64_t>(left.size());
        return have < needed;
    };
    auto of_them = [&] { return std::to_string(have) + " of " + counted(before); };

    if (too_few([&](std::size_t i) {
            const auto &c = candidates_[i];
            return select(state.device_class->selectors, "", c) &&
                   (!c.slice->per_device_nodes || matches(c.device->nodes, node_));
        }))
        return "add " + counted(needed - have) + " of class " + request.device_class + " for " + whose + needs +
               of_them() + " match the class)";
    if (too_few([&](std::size_t i) { return select(request.selectors, "", candidates_[i]); }))
        return "add " + counted(needed - have) + " that the selectors of " + whose + " match" + needs + of_them() +
               " of class " + request.device_class + " match)";
    if (too_few([&](std::size_t i) { return !in_use(request, claim_index, i); }))
        return "free " + counted(needed - have) + " of class " + request.device_class + " for " + whose + needs +
               of_them() + " that match are free)";
    const auto tried = left;
    if (too_few([&](std::size_t i) { return capacity_suffices(request, i); }))
        return "free " + missing_capacity(request, tried) + " for " + whose + needs + of_them() +
               " that match have enough)";
    if (too_few([&](std::size_t i) { return !tainted(*candidates_[i].device, request); }))
        return "have " + whose + " tolerate the taints of " + counted(needed - have) + needs + of_them() +
               " that match are without)";
    // Together, as far as they go in turn.
    std::vector<std::size_t> reserved, refused;
    if (too_few([&](std::size_t i) {
            const auto &c = candidates_[i];
            const bool shared = c.device->shareable && c.use && c.use->shares > 0;
            if (c.device->consumes.empty() || shared) return true;
            if (static_cast<std::int64_t>(reserved.size()) < needed && take_counters(c)) {
                reserved.push_back(i);
                return true;
            }
            refused.push_back(i);
            return static_cast<std::int64_t>(reserved.size()) >= needed;
        })) {
        for (auto i : reserved) give_counters(candidates_[i]);
        return "free " + missing_counter(refused) + " for " + whose + needs + "the counters suffice for " + of_them() +
               " that match and are free)";
    }
    for (auto i : reserved) give_counters(candidates_[i]);
    return {};
}

std::string Search::missing_counter(const std::vector<std::size_t> &candidates) const {
    for (auto i : candidates) {
        const auto &c = candidates_[i];
        const auto &stock = allocator_.counters(pools_[c.pool]);
        std::string found;
        for (const auto &set : c.device->consumes)
            for (const auto &[counter, amount] : set.counters) {
                const auto at = stock.places.find({set.name, counter});
                if (found.empty() && at != stock.places.end() && stock.available[at->second] < amount)
                    found = "counter " + counter + " of counter set " + set.name + " in pool " + pools_[c.pool].id();
            }
        if (!found.empty()) return found;
    }
    return "shared counters";
}

std::string Search::missing_capacity(const Request &request, const std::vector<std::size_t> &candidates) const {
    for (auto i : candidates) {
        const auto &c = candidates_[i];
        for (const auto &[name, wanted] : request.capacities)
            if (std::ranges::none_of(c.device->capacities, [&](const auto &capacity) { return capacity.name == name; }))
                return "or add capacity " + name;
        for (const auto &capacity : c.device->capacities)
            if (!CapacityRequest(capacity, request, rules_)
                     .fits(c.use ? c.use->consumed_of(capacity.name) : nullptr, nullptr))
                return "or add capacity " + capacity.name;
    }
    return "or add capacity";
}

}  // namespace kubernetes::devices

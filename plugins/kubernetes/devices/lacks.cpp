// SPDX-License-Identifier: Apache-2.0
// The reasons why a node has no devices for a claim, for remedies.
#include "search.h"

#include <algorithm>

namespace kubernetes::devices {

namespace {

constexpr std::size_t demands_at_most = 64;

std::string counted(std::size_t n) { return std::to_string(n) + (n == 1 ? " device" : " devices"); }

}  // namespace

/// What several requests, constraints or pools bring about together is not told: one change may not mend it.
std::string Search::lacks() {
    validate();
    std::size_t demands = 0;
    for (const auto *claim : wanted_) {
        if (!claim->constraints.empty()) return {};
        demands += claim->demands.size();
    }
    if (demands > demands_at_most ||
        std::ranges::any_of(pools_, [](const Pool &pool) { return pool.state != Pool::State::Usable; }))
        return {};
    std::vector<bool> wanted(candidates_.size());  // by some request
    std::string out;
    bool one_lacks = false;
    for (std::size_t i = 0; i < claims_.size(); ++i)
        for (auto &demand : claims_[i].demands) {
            bool lacks = true;
            std::string first;
            std::vector<bool> of_demand(candidates_.size());
            for (auto &state : demand.alternatives) {
                auto lack = this->lack(i, state, demands == 1);
                for (auto m : lack.matching) of_demand[m] = true;
                lacks = lacks && lack.lacks;
                if (first.empty()) first = std::move(lack.change);
            }
            for (std::size_t m = 0; m < of_demand.size(); ++m) {
                if (!of_demand[m]) continue;
                if (wanted[m] || (demands > 1 && !candidates_[m].device->consumes.empty())) return {};
                wanted[m] = true;
            }
            if (!lacks) continue;
            if (one_lacks || first.empty()) return {};
            one_lacks = true;
            out = std::move(first);
        }
    return out;
}

Search::Lack Search::lack(std::size_t claim_index, RequestState &state, bool alone) {
    const auto &request = *state.request;
    const auto &claim = *wanted_[claim_index];
    const bool all = request.mode == Request::Mode::All;
    Lack out;
    bool of_class = false;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        if (stop_()) throw Stopped{};
        const auto &c = candidates_[i];
        if (!select(state.device_class->selectors, "", c) ||
            (c.slice->per_device_nodes && !matches(c.device->nodes, node_)))
            continue;
        of_class = true;
        if (select(request.selectors, "", c)) out.matching.push_back(i);
    }
    const bool none_match = out.matching.empty();
    if (all && !none_match) out.matching = state.all;
    const auto needed = static_cast<std::size_t>(std::max<std::int64_t>(all ? 1 : 0, state.devices));
    if (all && !none_match && out.matching.empty()) return out;  // capacity

    std::size_t good = 0, in_use_only = 0, tainted_only = 0;
    std::map<std::string, std::size_t> short_of;  // one amount only
    bool counters = false;
    for (auto i : out.matching) {
        if (stop_()) throw Stopped{};
        const auto &c = candidates_[i];
        counters = counters || !c.device->consumes.empty();
        const bool used = in_use(request, claim_index, i), taint = tainted(c, request);
        const bool fits_free = devices::capacity_suffices(*c.device, request, nullptr, {}, rules_);
        const auto capacity =
            used || capacity_suffices(request, i) ? std::string{} : "capacity " + missing_capacity(request, i);
        const auto refused = used ? overdrawn(c) : !counters_suffice(c);
        if (!fits_free) continue;
        const int faults = (used ? 1 : 0) + (taint ? 1 : 0) + (capacity.empty() ? 0 : 1) + (refused ? 1 : 0);
        if (faults == 0) ++good;
        if (faults != 1) continue;
        if (used) ++in_use_only;
        if (taint) ++tainted_only;
        if (!capacity.empty() && capacity != "capacity ") ++short_of[capacity];
        if (refused)
            if (auto counter = missing_counter(c); !counter.empty()) ++short_of[counter];
    }
    out.lacks = good < needed;
    // Which devices can share what counters is a search of its own.
    if (!out.lacks || !of_class || needed > static_cast<std::size_t>(results_at_most) ||
        (counters && (needed > 1 || !alone)))
        return out;
    const auto missing = needed - good;
    const auto whose = !request.stands_for.empty()
                           ? request.stands_for
                           : "request " + request.full_name() + " of claim " + claim.full_name();
    const auto devices = counted(missing);
    if (out.matching.size() < needed) {
        if (good < out.matching.size()) return out;
        out.change = "add " + devices + " of class " + request.device_class +
                     (request.selectors.empty() ? " for " + whose : " that the selectors of " + whose + " match");
    } else if (in_use_only >= missing) {
        out.change = "free " + devices + " of class " + request.device_class + " for " + whose;
    } else if (tainted_only >= missing) {
        out.change = "have " + whose + " tolerate the taints of " + devices;
    } else {
        for (const auto &[what, of] : short_of)
            if (of >= missing && out.change.empty()) out.change = "free " + what + " of " + devices + " for " + whose;
    }
    return out;
}

/// Whether claims have taken more of some counter than the candidate's pool has.
bool Search::overdrawn(const Candidate &candidate) const {
    if (candidate.device->consumes.empty()) return false;
    const auto &stock = allocator_.counters(pools_[candidate.pool]);
    return std::ranges::any_of(stock.available, [](const auto &left) { return left.negative(); });
}

bool Search::counters_suffice(const Candidate &candidate) {
    if (candidate.device->consumes.empty() || (candidate.device->shareable && in_shares(candidate))) return true;
    if (!take_counters(candidate)) return false;
    give_counters(candidate);
    return true;
}

std::string Search::missing_counter(const Candidate &candidate) const {
    const auto &pool = pools_[candidate.pool];
    const auto &stock = allocator_.counters(pool);
    if (overdrawn(candidate)) return {};
    std::map<std::size_t, berth::Quantity> amounts;
    stock.each(*candidate.device, [&](std::size_t at, const auto &amount) { amounts[at] += amount; });
    std::string out;
    for (const auto *slice : pool.counter_sets)
        for (const auto &set : slice->shared_counters)
            for (const auto &[counter, all] : set.counters) {
                const auto at = stock.places.find({set.name, counter});
                const auto amount = at == stock.places.end() ? amounts.end() : amounts.find(at->second);
                if (amount == amounts.end() || !(stock.available[amount->first] < amount->second)) continue;
                if (all < amount->second || !out.empty()) return {};
                out = "counter " + counter + " of counter set " + set.name + " in pool " + pool.id();
            }
    return out;
}

std::string Search::missing_capacity(const Request &request, std::size_t candidate) const {
    const auto &c = candidates_[candidate];
    std::string out;
    for (const auto &capacity : c.device->capacities) {
        if (CapacityRequest(capacity, request, rules_)
                .fits(c.use ? c.use->consumed_of(capacity.name) : nullptr, nullptr))
            continue;
        if (!out.empty()) return {};
        out = capacity.name;
    }
    return out;
}

}  // namespace kubernetes::devices

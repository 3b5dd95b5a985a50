// SPDX-License-Identifier: Apache-2.0
#include "search.h"

#include <berth/toleration.hpp>

#include <algorithm>
#include <limits>

namespace kubernetes::devices {

namespace {

constexpr std::size_t remembered_at_most = std::size_t{1} << 26;  ///< selectors' answers, one byte each
constexpr const char *key_hint =
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional "
    "fields";
constexpr std::size_t depth_at_most = 8000;  ///< of the search: its stack stays below some megabytes

}  // namespace

Search::Search(const Allocator &allocator, const NodeView &node, const Allocator::Claims &claims,
               const Allocator::Stop &stop)
    : allocator_(allocator),
      rules_(allocator.rules_),
      node_(node),
      wanted_(claims),
      stop_(stop),
      pools_(gather_pools(allocator.inventory_, node)),
      claims_(claims.size()),
      result_(claims.size()),
      reserved_(claims.size()) {
    for (std::size_t p = 0; p < pools_.size(); ++p)
        for (const auto *slice : pools_[p].slices)
            for (const auto &device : slice->devices) {
                auto use = allocator.uses_.find(device.id);
                candidates_.push_back({slice, &device, use == allocator.uses_.end() ? nullptr : &use->second, p});
            }
    taken_.resize(candidates_.size());
}

bool Search::invalid_pools() const {
    return std::any_of(pools_.begin(), pools_.end(), [](const Pool &p) { return p.state == Pool::State::Invalid; });
}

void Search::fail(const Claim &claim, const Request &request, const std::string &what) {
    throw Fatal{"claim " + claim.full_name() + ", request " + request.name + what};
}

void Search::validate() {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < claims_.size(); ++i) {
        const auto &claim = *wanted_[i];
        validate(claim, i);
        for (std::size_t c = 0; c < claim.constraints.size(); ++c) {
            const auto &rule = claim.constraints[c];
            if (!rule.match_attribute && !rule.distinct_attribute)
                throw Fatal{"claim " + claim.full_name() + ", constraint #" + std::to_string(c) +
                            ": empty constraint (unsupported constraint type?)"};
            claims_[i].constraints.emplace_back(rule, rules_);
        }
        depth += 1 + 2 * claim.demands.size() + results_at_most;
    }
    if (depth > depth_at_most)
        throw Fatal{"the pod has too many claims without devices: the search for them would be " +
                    std::to_string(depth) + " deep, and Berth goes no deeper than " + std::to_string(depth_at_most)};
}

bool Search::run() {
    validate();
    const auto step = allocate({}, false, 0);
    if (step == Step::TooMany) throw Fatal{"allocation max size exceeded"};
    return step == Step::Found;
}

/// Throws also if the claim needs too many devices, whichever alternatives are taken.
void Search::validate(const Claim &claim, std::size_t index) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    std::int64_t total = 0;
    for (const auto &demand : claim.demands) {
        DemandState state{{}, demand.prioritized, 0};
        auto least = most;
        for (const auto &request : demand.alternatives) {
            state.alternatives.push_back(validate(claim, request));
            least = std::min(least, state.alternatives.back().devices);
        }
        if (rules_.claim_limit_by_request && least > results_at_most - total)
            throw Fatal{"claim " + claim.full_name() + ", request " + demand.name + ": adding " +
                        std::to_string(least) + " devices exceeds the claim limit of " +
                        std::to_string(results_at_most) + ", with " + std::to_string(total) + " already accounted for"};
        // A file may hold any count, and the sum of two may be too large.
        total = least > most - total ? most : total + std::max<std::int64_t>(least, 0);
        claims_[index].demands.push_back(std::move(state));
    }
    result_[index].alternatives.resize(claim.demands.size());
    if (total > results_at_most)
        throw Fatal{"claim " + claim.full_name() + ": number of requested devices " + std::to_string(total) +
                    " exceeds the claim limit of " + std::to_string(results_at_most)};
}

Search::RequestState Search::validate(const Claim &claim, const Request &request) {
    if (rules_.derived_attributes_refuse && request.derives_attributes)
        fail(claim, request, ": cannot handle request with derived attributes, the feature is disabled");
    for (std::size_t i = 0; i < request.selectors.size(); ++i)
        if (!request.selectors[i])
            fail(claim, request,
                 ", selector #" + std::to_string(i) + ": CEL expression empty (unsupported selector type?)");
    if (request.device_class.empty()) fail(claim, request, ": missing device class name (unsupported request type?)");
    RequestState state{&request, allocator_.find_class_(request.device_class), request.count, {}, {}};
    if (!state.device_class)
        fail(claim, request,
             ": could not retrieve device class " + request.device_class + ": deviceclass.resource.k8s.io \"" +
                 request.device_class + "\" not found");
    if (request.mode == Request::Mode::Unknown) fail(claim, request, ": unsupported count mode " + request.mode_text);
    if (request.mode == Request::Mode::All) collect_all(claim, state);
    return state;
}

void Search::collect_all(const Claim &claim, RequestState &state) {
    std::size_t next = 0;
    for (std::size_t p = 0; p < pools_.size(); ++p) {
        if (pools_[p].state != Pool::State::Usable)
            fail(claim, *state.request,
                 ": asks for all devices, but resource pool " + pools_[p].id() + " is currently " +
                     (pools_[p].state == Pool::State::Invalid ? "invalid" : "being updated"));
        for (; next < candidates_.size() && candidates_[next].pool == p; ++next) {
            if (!selectable(claim, state, next)) continue;
            const auto &device = *candidates_[next].device;
            check_capacity(claim, *state.request, device, device.name);
            if (rules_.all_with_full_devices ? devices::capacity_suffices(device, *state.request, nullptr, {}, rules_)
                                             : capacity_suffices(*state.request, next))
                state.all.push_back(next);
        }
    }
    state.devices = static_cast<std::int64_t>(state.all.size());
}

/// Finds what is missing from `at` on. TooMany: no choice made before can help, short of one that needs fewer devices.
Search::Step Search::allocate(Place at, bool in_alternative, std::size_t start) {
    ++steps_;
    if (stop_()) throw Stopped{};
    if (at.claim == claims_.size()) return Step::Found;
    auto &claim = claims_[at.claim];
    if (at.demand == claim.demands.size()) {
        const auto step = allocate({at.claim + 1, 0, 0, 0}, false, 0);
        return step == Step::TooMany ? Step::Failed : step;
    }
    auto &demand = claim.demands[at.demand];
    if (demand.prioritized && !in_alternative) return try_alternatives(at);

    auto &state = demand.alternatives[at.alternative];
    const bool all = state.request->mode == Request::Mode::All;
    if (all && state.all.empty()) return Step::Failed;
    if (at.device >= state.devices) return allocate({at.claim, at.demand + 1, 0, 0}, false, 0);
    const auto chosen = static_cast<std::int64_t>(result_[at.claim].devices.size());
    if (state.devices > results_at_most - chosen + at.device) return Step::TooMany;
    return all ? take_all(at, state, in_alternative) : try_candidates(at, state, in_alternative, start);
}

Search::Step Search::try_alternatives(Place at) {
    auto &demand = claims_[at.claim].demands[at.demand];
    bool too_many = true;
    for (at.alternative = 0; at.alternative < demand.alternatives.size(); ++at.alternative) {
        const auto step = allocate(at, true, 0);
        if (step == Step::TooMany) continue;
        too_many = false;
        if (step == Step::Failed) continue;
        result_[at.claim].alternatives[at.demand] = at.alternative;
        return step;
    }
    return too_many ? Step::TooMany : Step::Failed;
}

/// "All" has one choice only.
Search::Step Search::take_all(Place at, RequestState &state, bool in_alternative) {
    const auto candidate = state.all[static_cast<std::size_t>(at.device)];
    if (!take(at, *state.request, candidate, true)) return Step::Failed;
    const auto step = allocate({at.claim, at.demand, at.alternative, at.device + 1}, in_alternative, 0);
    if (step != Step::Found) give_back(at, *state.request, candidate);
    return step;
}

/// The devices of one request are tried as combinations: each one stands behind the one before.
Search::Step Search::try_candidates(Place at, RequestState &state, bool in_alternative, std::size_t start) {
    const auto &request = *state.request;
    const auto &claim = *wanted_[at.claim];
    for (auto i = start; i < candidates_.size(); ++i) {
        if (in_use(request, at.claim, i) || !selectable(claim, state, i)) continue;
        check_capacity(claim, request, *candidates_[i].device, full_name(candidates_[i]));
        if (!capacity_suffices(request, i) || !take(at, request, i, false)) continue;
        const auto step = allocate({at.claim, at.demand, at.alternative, at.device + 1}, in_alternative, i + 1);
        if (step == Step::Found) return step;
        give_back(at, request, i);
        if (step == Step::TooMany) return step;
    }
    return Step::Failed;
}

bool Search::in_use(const Request &request, std::size_t claim, std::size_t candidate) const {
    const auto &c = candidates_[candidate];
    const auto &claims = taken_[candidate].claims;
    if (request.admin_access) return std::find(claims.begin(), claims.end(), claim) != claims.end();
    return (c.use && c.use->exclusive > 0) || !claims.empty();
}

bool Search::selectable(const Claim &claim, RequestState &state, std::size_t candidate) {
    if (state.selected.empty() && remembered_ + candidates_.size() <= remembered_at_most) {
        state.selected.resize(candidates_.size());
        remembered_ += candidates_.size();
    }
    if (!state.selected.empty() && state.selected[candidate] != 0) return state.selected[candidate] > 0;
    const auto &c = candidates_[candidate];
    const bool yes = select(state.device_class->selectors, "class " + state.device_class->name, c) &&
                     select(state.request->selectors, "claim " + claim.full_name(), c) &&
                     (!c.slice->per_device_nodes || matches(c.device->nodes, node_));
    if (!state.selected.empty()) state.selected[candidate] = yes ? 1 : -1;
    return yes;
}

bool Search::select(const SelectorTexts &selectors, const std::string &whose, const Candidate &candidate) const {
    for (std::size_t i = 0; i < selectors.size(); ++i) {
        if (stop_()) throw Stopped{};
        auto selected = allocator_.selectors_.select(selectors[i].value_or(""), *candidate.slice, *candidate.device);
        if (!selected.fault.empty()) {
            auto where = whose + ": selector #" + std::to_string(i);
            if (rules_.selector_faults_by_device && selected.by_device) {
                where += " on device " + full_name(candidate);
                if (selected.fault.find("no such key:") != std::string::npos) selected.fault += key_hint;
            }
            throw Fatal{where + ": " + selected.fault};
        }
        if (!selected.matches) return false;
    }
    return true;
}

bool Search::capacity_suffices(const Request &request, std::size_t candidate) const {
    const auto &c = candidates_[candidate];
    return devices::capacity_suffices(*c.device, request, c.use, taken_[candidate].shares, rules_);
}

void Search::check_capacity(const Claim &claim, const Request &request, const Device &device,
                            const std::string &name) const {
    if (auto fault = capacity_fault(device, request, rules_); !fault.empty())
        fail(claim, request, ": checking capacity for device " + name + ": " + fault);
}

std::string Search::full_name(const Candidate &candidate) {
    return candidate.slice->driver + "/" + candidate.slice->pool + "/" + candidate.device->name;
}

bool Search::tainted(const Candidate &candidate, const Request &request) const {
    return allocator_.inventory_.any_taint(*candidate.slice, *candidate.device, [&](const berth_taint &taint) {
        return berth::keeps_away(taint) && !berth::tolerated(request.tolerations, taint);
    });
}

bool Search::take(const Place &at, const Request &request, std::size_t candidate, bool must) {
    const auto &c = candidates_[candidate];
    auto &taken = taken_[candidate];
    const bool shareable = c.device->shareable;
    if (!(shareable && request.admin_access) && in_use(request, at.claim, candidate)) return false;
    // A share of a device that is in use already takes no counters any more.
    const bool counted = !c.device->consumes.empty() && !(shareable && (in_shares(c) || taken.shares.shares > 0));
    if (counted && !take_counters(c)) return false;

    auto &constraints = claims_[at.claim].constraints;
    std::size_t added = 0;
    auto refuse = [&] {
        while (added > 0) constraints[--added].remove(request);
        if (counted) give_counters(c);
        return false;
    };
    if (tainted(c, request)) return refuse();
    for (; added < constraints.size(); ++added) {
        if (constraints[added].add(request, *c.device, c.slice->driver)) continue;
        if (must)
            fail(*wanted_[at.claim], request,
                 ": cannot add device " + full_name(c) + " because a claim constraint would not be satisfied");
        return refuse();
    }
    if (!capacity_suffices(request, candidate)) return refuse();

    Chosen chosen{&request, c.slice, c.device, shareable, {}};
    if (!shareable) {
        taken.claims.push_back(at.claim);
    } else {
        for (const auto &capacity : c.device->capacities)
            chosen.consumed.emplace_back(capacity.name, CapacityRequest(capacity, request, rules_).consumed());
        taken.shares.add_share(&chosen.consumed);
    }
    result_[at.claim].devices.push_back(std::move(chosen));
    reserved_[at.claim].push_back(counted);
    return true;
}

/// Takes the last successful take() back.
void Search::give_back(const Place &at, const Request &request, std::size_t candidate) {
    const auto &c = candidates_[candidate];
    auto &taken = taken_[candidate];
    auto &devices = result_[at.claim].devices;
    if (c.device->shareable) taken.shares.remove_share(&devices.back().consumed);
    else taken.claims.pop_back();
    devices.pop_back();
    auto &constraints = claims_[at.claim].constraints;
    for (auto constraint = constraints.rbegin(); constraint != constraints.rend(); ++constraint)
        constraint->remove(request);
    if (reserved_[at.claim].back()) give_counters(c);
    reserved_[at.claim].pop_back();
}

bool Search::in_shares(const Candidate &candidate) const {
    return candidate.use && (rules_.bare_share_in_use ? candidate.use->shares : candidate.use->shares_of_capacity) > 0;
}

bool Search::take_counters(const Candidate &candidate) {
    auto &use = counters_[allocator_.key_of(pools_[candidate.pool])];
    if (!use.stock) {
        use.stock = &allocator_.counters(pools_[candidate.pool]);
        use.taken.resize(use.stock->available.size());
    }
    use.stock->each(*candidate.device, [&](std::size_t i, const auto &amount) { use.taken[i] += amount; });
    // One counter of the pool that is overdrawn, by whatever, is enough to refuse.
    for (std::size_t i = 0; i < use.taken.size(); ++i)
        if (use.stock->available[i] < use.taken[i]) {
            give_counters(candidate);
            return false;
        }
    return true;
}

void Search::give_counters(const Candidate &candidate) {
    auto &use = counters_[allocator_.key_of(pools_[candidate.pool])];
    use.stock->each(*candidate.device, [&](std::size_t i, const auto &amount) { use.taken[i] -= amount; });
}

}  // namespace kubernetes::devices

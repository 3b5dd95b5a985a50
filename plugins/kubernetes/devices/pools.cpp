// SPDX-License-Identifier: Apache-2.0
#include "pools.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace kubernetes::devices {

namespace {

using Slices = std::vector<const Slice *>;

/// A node selector as Go prints it, in the error about one that cannot be parsed.
std::string go_text(berth::Value selector) {
    auto requirements = [](berth::Value list) {
        std::string out = "[]NodeSelectorRequirement{";
        for (std::size_t i = 0; i < list.size(); ++i) {
            out += "NodeSelectorRequirement{Key:" + std::string(list.at(i)["key"].string()) +
                   ",Operator:" + std::string(list.at(i)["operator"].string()) + ",Values:[";
            auto values = list.at(i)["values"];
            for (std::size_t k = 0; k < values.size(); ++k) out.append(k ? " " : "").append(values.at(k).string());
            out += "],},";
        }
        return out + "}";
    };
    std::string out = "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{";
    auto terms = selector["nodeSelectorTerms"];
    for (std::size_t i = 0; i < terms.size(); ++i)
        out += "NodeSelectorTerm{MatchExpressions:" + requirements(terms.at(i)["matchExpressions"]) +
               ",MatchFields:" + requirements(terms.at(i)["matchFields"]) + ",},";
    return out + "},}";
}

/// Whether the slice has something for the node.
bool relevant(const Slice &slice, const NodeView &node, const Rules &rules) {
    if (!slice.shared_counters.empty() && !rules.counter_slices_follow_node) return true;
    const Device *selecting = nullptr;
    try {
        if (slice.nodes.known()) return matches(slice.nodes, node);
        if (!slice.per_device_nodes) return false;
        for (const auto &device : slice.devices) {
            selecting = &device;
            if (matches(device.nodes, node)) return true;
        }
        return false;
    } catch (const Fatal &fatal) {
        throw Fatal{"gather pool information: failed to perform node selection for " +
                    (selecting ? "device " + selecting->name + " in " : std::string{}) + "slice " + slice.name + ": " +
                    fatal.text};
    }
}

std::string duplicate_device(const Slices &slices) {
    std::set<std::string_view> names;
    for (const auto *s : slices)
        for (const auto &device : s->devices)
            if (!names.insert(device.name).second) return "duplicate device name " + device.name;
    return {};
}

/// By set and name; the first fault ends it.
std::string collect_counters(const Slices &slices, std::map<std::string_view, std::set<std::string_view>> &sets) {
    for (const auto *s : slices)
        for (const auto &set : s->shared_counters) {
            auto [at, fresh] = sets.try_emplace(set.name);
            if (!fresh) return "duplicate counter set name " + set.name;
            for (const auto &[counter, amount] : set.counters) at->second.insert(counter);
        }
    return {};
}

std::string unknown_counter(const Slices &slices, const std::map<std::string_view, std::set<std::string_view>> &sets) {
    for (const auto *s : slices)
        for (const auto &device : s->devices)
            for (const auto &consumed : device.consumes) {
                auto set = sets.find(consumed.name);
                if (set == sets.end()) return "counter set " + consumed.name + " not found";
                for (const auto &[counter, amount] : consumed.counters)
                    if (!set->second.contains(counter))
                        return "counter " + counter + " not found in counter set " + consumed.name;
            }
    return {};
}

/// `reaching` are the relevant slices of the pool's newest generation, `whole` all of that generation.
void build(Pool &pool, Slices reaching, const Slices &whole) {
    std::stable_sort(reaching.begin(), reaching.end(), [](const auto *a, const auto *b) { return a->name < b->name; });
    for (const auto *s : reaching) (s->shared_counters.empty() ? pool.slices : pool.counter_sets).push_back(s);
    if (whole.size() != reaching.size()) {
        std::set<std::string_view> names;
        for (const auto *s : reaching) names.insert(s->name);
        for (const auto *s : whole)
            if (!names.contains(s->name))
                (s->shared_counters.empty() ? pool.elsewhere : pool.counter_sets).push_back(s);
    }
    std::map<std::string_view, std::set<std::string_view>> sets;
    pool.fault = duplicate_device(pool.slices);
    if (pool.fault.empty()) pool.fault = collect_counters(pool.counter_sets, sets);
    if (pool.fault.empty()) pool.fault = unknown_counter(reaching, sets);
    if (pool.fault.empty()) pool.fault = unknown_counter(pool.elsewhere, sets);
    if (pool.fault.empty()) return;
    pool.state = Pool::State::Invalid;
    pool.slices.clear();
}

bool has_binding_conditions(const Pool &pool) {
    for (const auto *s : pool.slices)
        for (const auto &device : s->devices)
            if (!device.binding_conditions.is_null()) return true;
    return false;
}

}  // namespace

bool matches(const NodeSelection &selection, const NodeView &node) {
    if (selection.on_one_node()) return *selection.node_name == node.name;
    if (selection.all_nodes) return true;
    if (selection.selector.is_null()) return false;
    if (auto faults = berth::faults_of(selection.terms); !faults.empty())
        throw Fatal{"failed to parse node selector " + go_text(selection.selector) + ": " + faults};
    return std::any_of(selection.terms.begin(), selection.terms.end(),
                       [&](const NodeTerm &term) { return berth::matches_term(term, node.labels, node.name); });
}

std::vector<Pool> gather_pools(const Inventory &inventory, const NodeView &node) {
    std::map<std::pair<std::string_view, std::string_view>, Slices> newest;
    for (const auto *s : inventory.candidates(node.name)) {
        if (!relevant(*s, node, inventory.rules())) continue;
        auto &slices = newest[{s->driver, s->pool}];
        if (!slices.empty() && s->generation > slices.front()->generation) slices.clear();
        if (slices.empty() || s->generation == slices.front()->generation) slices.push_back(s);
    }
    std::vector<Pool> out, with_conditions;
    for (auto &[id, reaching] : newest) {
        Pool pool{.driver = id.first, .name = id.second};
        const auto generation = reaching.front()->generation, wanted = reaching.front()->slice_count;
        auto whole = reaching;
        if (static_cast<std::int64_t>(reaching.size()) != wanted) {
            // Slices that do not reach the node may complete the pool, or replace it.
            whole.clear();
            bool obsolete = false;
            for (const auto *s : inventory.of_pool(id.first, id.second)) {
                obsolete = obsolete || s->generation > generation;
                if (s->generation == generation && inventory.usable(*s)) whole.push_back(s);
            }
            if (obsolete) continue;
        }
        if (static_cast<std::int64_t>(whole.size()) == wanted) build(pool, std::move(reaching), whole);
        else pool.state = Pool::State::Incomplete;
        // A pool whose devices must be attached first comes last.
        (has_binding_conditions(pool) ? with_conditions : out).push_back(std::move(pool));
    }
    std::move(with_conditions.begin(), with_conditions.end(), std::back_inserter(out));
    return out;
}

}  // namespace kubernetes::devices

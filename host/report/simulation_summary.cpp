// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_summary.h"

#include "model/members.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace berth::report {
namespace {

using model::ArrayBuilder;
using model::ObjectBuilder;
using model::Value;

std::string_view resource_name(std::string_view member) {
    if (member == "cpuMilli") return "cpu";
    return member == "memoryBytes" ? "memory" : member;
}

/// The index of each resource in a summary.
using Indices = std::unordered_map<std::string_view, std::size_t>;

void add_node(SimulationSummary &out, Indices &indices, const model::Members &requested, Value allocatable) {
    for (std::size_t i = 0; i < allocatable.size(); ++i) {
        const auto name = resource_name(allocatable.key(i));
        const auto has = allocatable.member(i).integer().value_or(0);
        if (has <= 0) continue;
        const auto [place, fresh] = indices.emplace(name, out.resources.size());
        if (fresh) out.resources.push_back({std::string(name), 0, 0, {}});
        auto *at = &out.resources[place->second];
        const auto amount = requested[allocatable.key(i)].integer().value_or(0);
        at->requested += amount;
        at->allocatable += has;
        const auto tenth = static_cast<std::size_t>(static_cast<double>(std::max<std::int64_t>(amount, 0)) /
                                                    static_cast<double>(has) * SimulationSummary::tenths);
        ++at->nodes[std::min(tenth, SimulationSummary::tenths - 1)];
    }
}

}  // namespace

SimulationSummary summary_of(Value result) {
    SimulationSummary out;
    const auto summary = result["summary"];
    out.scheduled = summary["scheduled"].integer().value_or(0);
    out.pending = summary["pending"].integer().value_or(0);
    out.evicted = summary["evicted"].integer().value_or(0);
    const auto nodes = result["nodes"], placements = result["placements"];
    Indices indices;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        add_node(out, indices, nodes.at(i)["requested"], nodes.at(i)["allocatable"]);
        if (nodes.at(i)["requested"]["pods"].integer().value_or(0) > 0) ++out.nodes_in_use;
    }
    out.devices = device_models(read_device_values(result["devices"]));
    for (std::size_t i = 0; i < placements.size(); ++i) {
        const auto one = placements.at(i);
        out.node_of[std::string(one["namespace"].string()) + "/" + std::string(one["name"].string())] =
            one["node"].string();
    }
    return out;
}

ObjectBuilder summary_value(model::Arena &arena, const SimulationSummary &summary) {
    ObjectBuilder out(arena);
    out.add("scheduled", summary.scheduled).add("pending", summary.pending).add("evicted", summary.evicted);
    out.add("nodesInUse", summary.nodes_in_use);
    ArrayBuilder resources(arena);
    for (const auto &r : summary.resources) {
        ObjectBuilder one(arena);
        ArrayBuilder nodes(arena);
        for (auto n : r.nodes) nodes.add(n);
        one.add("name", std::string_view{r.name}).add("requested", r.requested).add("allocatable", r.allocatable);
        resources.add(one.add("nodes", nodes).value());
    }
    out.add("resources", resources);
    if (summary.devices.empty()) return out;
    ArrayBuilder devices(arena);
    for (const auto &sum : summary.devices) devices.add(device_value(arena, sum).value());
    return out.add("devices", devices);
}

std::map<std::string, std::pair<std::string, std::string>> differences(const SimulationSummary &before,
                                                                       const SimulationSummary &after) {
    std::map<std::string, std::pair<std::string, std::string>> out;
    for (const auto &[pod, node] : before.node_of) out[pod].first = node;
    for (const auto &[pod, node] : after.node_of) out[pod].second = node;
    std::erase_if(out, [](const auto &one) { return one.second.first == one.second.second; });
    return out;
}

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#include "report/what_if.h"

#include "report/answer_values.h"

#include <algorithm>
#include <string_view>

namespace berth::report {
namespace {

using model::ArrayBuilder;
using model::ObjectBuilder;
using model::Value;

std::string_view resource_name(std::string_view member) {
    if (member == "cpuMilli") return "cpu";
    return member == "memoryBytes" ? "memory" : member;
}

void add_node(Outcome &out, Value requested, Value allocatable) {
    for (std::size_t i = 0; i < allocatable.size(); ++i) {
        const auto name = resource_name(allocatable.key(i));
        const auto has = allocatable.member(i).integer().value_or(0);
        if (has <= 0) continue;
        auto at = std::ranges::find(out.resources, name, &Outcome::Resource::name);
        if (at == out.resources.end()) at = out.resources.insert(out.resources.end(), {std::string(name), 0, 0, {}});
        const auto asked = requested[allocatable.key(i)].integer().value_or(0);
        at->requested += asked;
        at->allocatable += has;
        const auto tenth = static_cast<std::size_t>(static_cast<double>(std::max<std::int64_t>(asked, 0)) /
                                                    static_cast<double>(has) * Outcome::tenths);
        ++at->nodes[std::min(tenth, Outcome::tenths - 1)];
    }
}

ObjectBuilder outcome_value(model::Arena &arena, const Outcome &outcome) {
    ObjectBuilder out(arena);
    out.add("scheduled", outcome.scheduled).add("pending", outcome.pending).add("evicted", outcome.evicted);
    ArrayBuilder resources(arena);
    for (const auto &r : outcome.resources) {
        ObjectBuilder one(arena);
        ArrayBuilder nodes(arena);
        for (auto n : r.nodes) nodes.add(n);
        one.add("name", std::string_view{r.name}).add("requested", r.requested).add("allocatable", r.allocatable);
        resources.add(one.add("nodes", nodes).value());
    }
    return out.add("resources", resources);
}

}  // namespace

Outcome outcome_of(Value result) {
    Outcome out;
    const auto summary = result["summary"];
    out.scheduled = summary["scheduled"].integer().value_or(0);
    out.pending = summary["pending"].integer().value_or(0);
    out.evicted = summary["evicted"].integer().value_or(0);
    const auto nodes = result["nodes"], placements = result["placements"];
    for (std::size_t i = 0; i < nodes.size(); ++i) add_node(out, nodes.at(i)["requested"], nodes.at(i)["allocatable"]);
    for (std::size_t i = 0; i < placements.size(); ++i) {
        const auto one = placements.at(i);
        out.node_of[std::string(one["namespace"].string()) + "/" + std::string(one["name"].string())] =
            one["node"].string();
    }
    return out;
}

void add_comparison(model::Arena &arena, ObjectBuilder &to, const Outcome &before, const Outcome &after,
                    std::size_t most) {
    std::map<std::string, std::pair<std::string, std::string>> both;
    for (const auto &[pod, node] : before.node_of) both[pod].first = node;
    for (const auto &[pod, node] : after.node_of) both[pod].second = node;
    ArrayBuilder list(arena);
    std::size_t differing = 0;
    for (const auto &[pod, nodes] : both) {
        if (nodes.first == nodes.second || ++differing > most) continue;
        const auto slash = pod.find('/');
        ObjectBuilder one(arena), ref(arena);
        ref.add("namespace", std::string_view{pod}.substr(0, slash))
            .add("name", std::string_view{pod}.substr(slash + 1));
        one.add("pod", ref);
        add_text(one, "before", nodes.first);
        add_text(one, "after", nodes.second);
        list.add(one.value());
    }
    to.add("before", outcome_value(arena, before)).add("after", outcome_value(arena, after));
    to.add("differing", differing).add("differences", list);
}

}  // namespace berth::report

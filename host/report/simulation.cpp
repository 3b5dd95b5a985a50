// SPDX-License-Identifier: Apache-2.0
#include "report/simulation.h"

#include "model/build.h"
#include "model/time.h"
#include "report/input_report.h"
#include "report/table.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace berth::report {
namespace {

std::string headline(const Simulation &s) {
    std::string text = "Cluster: " + plural(s.nodes.size(), "node") + ", " + plural(s.placed_before, "placed pod") +
                       ", " + plural(s.placements.size() + s.pending.size(), "pod") + " to place";
    if (s.without_node > 0) text += ", " + grouped(s.without_node) + " on missing nodes";
    if (s.finished_pods > 0) text += ", " + grouped(s.finished_pods) + " finished";
    if (s.other_scheduler > 0) text += ", " + grouped(s.other_scheduler) + " of other schedulers";
    if (s.deleted_pods > 0) text += ", " + grouped(s.deleted_pods) + " being deleted";
    text += "\nProfiles:";
    for (const auto &p : s.profiles) text += " " + p;
    text += "   Seed: " + std::to_string(s.seed) + "\n";
    text += "Result: " + grouped(s.placements.size()) + " placed, " + grouped(s.pending.size()) + " pending, in " +
            plural(s.attempts, "attempt");
    if (s.evicted_pods > 0) text += "; " + grouped(s.evicted_pods) + " evicted";
    text += "\n";
    return text;
}

std::string placements(const Simulation &s, bool all) {
    if (s.placements.empty()) return "";
    std::size_t shown = all ? s.placements.size() : std::min(s.placements.size(), rows_shown);
    Table table({"NAMESPACE", "POD", "NODE"});
    for (std::size_t i = 0; i < shown; ++i) {
        const auto &pod = *s.placements[i];
        table.add({std::string(pod.name_space()), std::string(pod.name()), std::string(pod.node_name())});
    }
    std::string text = "\nPLACEMENTS\n" + table.text(2);
    if (shown < s.placements.size()) text += cut_off(s.placements.size() - shown, "placements");
    return text;
}

/// Saturates: what does not fit is the greatest number there is.
void add_to(std::int64_t &sum, std::int64_t n) {
    if (__builtin_add_overflow(sum, n, &sum)) sum = std::numeric_limits<std::int64_t>::max();
}

/// Sums over the cluster: cpu, memory, pods, and each scalar that some node has.
std::string totals(const Simulation &s) {
    std::int64_t cpu = 0, cpu_all = 0, memory = 0, memory_all = 0, pods = 0, pods_all = 0;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> scalars;
    for (const auto &n : s.nodes) {
        add_to(cpu, n.cpu);
        add_to(cpu_all, n.node->allocatable.cpu);
        add_to(memory, n.memory);
        add_to(memory_all, n.node->allocatable.memory);
        pods += static_cast<std::int64_t>(n.pods);
        add_to(pods_all, n.node->allocatable_pods);
        for (std::uint64_t i = 0; i < n.node->allocatable.scalars_len; ++i) {
            const auto &r = n.node->allocatable.scalars[i];
            auto &sum = scalars[std::string(model::view(r.name))];
            add_to(sum.second, r.value);
            if (auto used = n.scalars.find(std::string(model::view(r.name))); used != n.scalars.end())
                add_to(sum.first, used->second);
        }
    }
    Table table({"RESOURCE", ">REQUESTED", ">ALLOCATABLE", ">USE"});
    table.add({"cpu", cpu_text(cpu), cpu_text(cpu_all), percent(cpu, cpu_all)});
    table.add({"memory", bytes_text(memory), bytes_text(memory_all), percent(memory, memory_all)});
    for (const auto &[name, sum] : scalars)
        table.add({name, grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, sum.first))),
                   grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, sum.second))),
                   percent(sum.first, sum.second)});
    table.add({"pods", grouped(static_cast<std::uint64_t>(pods)), grouped(static_cast<std::uint64_t>(pods_all)),
               percent(pods, pods_all)});
    return "\nUTILISATION\n" + table.text(2);
}

std::string per_node(const Simulation &s, bool all) {
    if (s.nodes.empty()) return "";
    std::vector<const NodeUse *> order;
    for (const auto &n : s.nodes) order.push_back(&n);
    bool cut = !all && order.size() > rows_shown;
    auto share = [](const NodeUse *n) {
        auto of = [](std::int64_t part, std::int64_t whole) {
            return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
        };
        return std::max(of(n->cpu, n->node->allocatable.cpu), of(n->memory, n->node->allocatable.memory));
    };
    if (cut) std::stable_sort(order.begin(), order.end(), [&](auto *a, auto *b) { return share(a) > share(b); });
    Table table({"NODE", ">PODS", ">CPU", ">OF", ">USE", ">MEMORY", ">OF", ">USE"});
    for (std::size_t i = 0; i < (cut ? rows_shown : order.size()); ++i) {
        const auto &n = *order[i];
        const auto &have = n.node->allocatable;
        table.add({std::string(n.node->name), std::to_string(n.pods), cpu_text(n.cpu), cpu_text(have.cpu),
                   percent(n.cpu, have.cpu), bytes_text(n.memory), bytes_text(have.memory),
                   percent(n.memory, have.memory)});
    }
    std::string text = cut ? "\nNODES, the fullest first\n" : "\nNODES\n";
    text += table.text(2);
    if (cut) text += cut_off(order.size() - rows_shown, "nodes");
    return text;
}

/// The last lines, because they are the answer.
std::string expectations(const Simulation &s) {
    if (s.scenario.empty()) return "";
    std::string text = "\n";
    std::size_t held = 0;
    for (const auto &e : s.expectations) {
        if (e.holds) ++held;
        else
            text += printable(e.where + ": " + (e.time == "end" ? "at the end" : "at " + e.time) + ": expected " +
                              e.expected + ", but it " + e.found) +
                    "\n";
    }
    text += "Scenario " + s.scenario + ": " + plural(held, "expectation") + (held == 1 ? " holds" : " hold");
    if (auto wrong = s.expectations.size() - held)
        text += ", " + grouped(wrong) + (wrong == 1 ? " does not" : " do not");
    return text + "\n";
}

berth_value expectations_tree(model::Arena &arena, const Simulation &s) {
    model::ArrayBuilder all(arena);
    for (const auto &e : s.expectations)
        all.add(model::ObjectBuilder(arena)
                    .add("at", e.time)
                    .add("expected", e.expected)
                    .add("found", e.found)
                    .add("where", e.where)
                    .add("holds", e.holds)
                    .value());
    return model::ObjectBuilder(arena).add("name", s.scenario).add("expectations", all).value();
}

berth_value node_tree(model::Arena &arena, const NodeUse &n) {
    model::ObjectBuilder node(arena), requested(arena), allocatable(arena);
    requested.add("cpuMilli", n.cpu).add("memoryBytes", n.memory).add("pods", n.pods);
    allocatable.add("cpuMilli", n.node->allocatable.cpu)
        .add("memoryBytes", n.node->allocatable.memory)
        .add("pods", n.node->allocatable_pods);
    for (std::uint64_t i = 0; i < n.node->allocatable.scalars_len; ++i) {
        const auto &r = n.node->allocatable.scalars[i];
        auto used = n.scalars.find(std::string(model::view(r.name)));
        requested.add(model::view(r.name), used == n.scalars.end() ? std::int64_t{0} : used->second);
        allocatable.add(model::view(r.name), r.value);
    }
    node.add("name", n.node->name).add("requested", requested).add("allocatable", allocatable);
    return node.value();
}

berth_value event_list(model::Arena &arena, const std::vector<WrittenEvent> &events) {
    model::ArrayBuilder list(arena);
    for (const auto &e : events) {
        model::ObjectBuilder one(arena), regarding(arena);
        regarding.add("kind", e.kind);
        if (!e.name_space.empty()) regarding.add("namespace", e.name_space);
        regarding.add("name", e.name);
        one.add("time", model::format_time(e.time_ns)).add("type", e.warning ? "Warning" : "Normal");
        one.add("reason", e.reason).add("action", e.action).add("reportingController", e.controller);
        one.add("regarding", regarding).add("note", e.note);
        list.add(one.value());
    }
    return list.value();
}

}  // namespace

std::string to_text(const Simulation &s, bool all, const Advise &advise) {
    const auto missing = missing_text(s.input), pending = pending_text(s.pending, all, advise);
    return headline(s) + (missing.empty() ? "" : "\n" + missing) + placements(s, all) + totals(s) + per_node(s, all) +
           device_text(s.devices, all) + (pending.empty() ? "" : "\n" + pending) +
           (s.shadow ? "\n" + shadow_text(*s.shadow, all) : "") + expectations(s);
}

model::TreePtr to_tree(const Simulation &s, model::Detail detail) {
    auto tree = std::make_shared<model::Tree>();
    auto &arena = tree->arena;
    model::ObjectBuilder root(arena), summary(arena);
    summary.add("nodes", s.nodes.size())
        .add("pods", s.placed_before + s.without_node + s.placements.size() + s.pending.size())
        .add("placedBefore", s.placed_before)
        .add("onMissingNodes", s.without_node)
        .add("scheduled", s.placements.size())
        .add("pending", s.pending.size())
        .add("evicted", s.evicted_pods)
        .add("finished", s.finished_pods)
        .add("otherScheduler", s.other_scheduler)
        .add("beingDeleted", s.deleted_pods)
        .add("attempts", s.attempts)
        .add("seed", static_cast<std::int64_t>(s.seed))
        .add("kubernetesVersion", s.kubernetes_version);
    model::ArrayBuilder profiles(arena), decisions(arena), placements(arena), pods(arena), nodes(arena);
    for (const auto &p : s.profiles) profiles.add(p);
    summary.add("profiles", profiles);
    for (const auto &d : s.decisions) decisions.add(model::to_value(arena, d, detail));
    for (const auto &p : s.placements) {
        model::ObjectBuilder one(arena);
        one.add("namespace", p->name_space()).add("name", p->name()).add("node", p->node_name());
        placements.add(one.value());
    }
    for (const auto &p : s.pending) {
        model::ObjectBuilder one(arena);
        one.add("namespace", p.pod.name_space)
            .add("name", p.pod.name)
            .add("result", model::result_name(p.result))
            .add("message", p.message);
        pods.add(one.value());
    }
    for (const auto &n : s.nodes) nodes.add(node_tree(arena, n));
    root.add("apiVersion", "berth/v1alpha1")
        .add("kind", "SimulationResult")
        .add("summary", summary)
        .add("decisions", decisions)
        .add("placements", placements)
        .add("pending", pods)
        .add("nodes", nodes);
    if (!s.devices.empty()) root.add("devices", device_values(arena, s.devices));
    add_input(arena, root, s.input);
    if (!s.events.empty()) root.add("events", event_list(arena, s.events));
    if (s.shadow) root.add("shadow", shadow_value(arena, *s.shadow));
    if (!s.scenario.empty()) root.add("scenario", expectations_tree(arena, s));
    tree->root = root.value();
    return tree;
}

}  // namespace berth::report

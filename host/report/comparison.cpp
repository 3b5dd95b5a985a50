// SPDX-License-Identifier: Apache-2.0
#include "report/comparison.h"

#include "report/input_report.h"
#include "report/table.h"

#include <algorithm>
#include <map>
#include <utility>

namespace berth::report {
namespace {

std::string count(std::size_t n) { return grouped(n); }
std::string count(std::int64_t n) { return grouped(static_cast<std::uint64_t>(n)); }

/// Of the first one nothing differs from itself.
std::size_t differing(const std::vector<Compared> &all, const Compared &one) {
    return differences(all.front().summary, one.summary).size();
}

std::string use(const SimulationSummary &summary, const std::string &resource) {
    auto at = std::ranges::find(summary.resources, resource, &SimulationSummary::Resource::name);
    return at == summary.resources.end() ? "-" : percent(at->requested, at->allocatable);
}

using ModelId = std::pair<std::string, std::string>;  // driver, model

std::string allocated(const SimulationSummary &summary, const ModelId &id) {
    auto at = std::ranges::find_if(
        summary.devices, [&](const DeviceModel &sum) { return sum.driver == id.first && sum.model == id.second; });
    return at == summary.devices.end() ? "-" : grouped(at->allocated) + " of " + grouped(at->devices);
}

/// A row with what `cell` says of each.
template <class Cell>
void add_row(Table &table, const std::vector<Compared> &all, const std::string &title, Cell cell) {
    std::vector<std::string> row{title};
    for (const auto &one : all) row.push_back(cell(one));
    table.add(std::move(row));
}

/// What the input lacks; configurations whose plugins watch the same kinds lack the same.
std::string missing_texts(const std::vector<Compared> &all) {
    std::map<std::string, std::vector<std::string>> names;
    for (const auto &one : all)
        if (auto text = missing_text(one.input); !text.empty()) names[std::move(text)].push_back(printable(one.name));
    std::string out;
    for (const auto &[text, with] : names) {
        out += "\n";
        if (with.size() < all.size())
            for (const auto &name : with) out += (&name == &with.front() ? "With " : ", ") + name;
        out += (with.size() < all.size() ? ": " : "") + text;
    }
    return out;
}

}  // namespace

Compared compared(std::string name, const Simulation &simulation) {
    Compared out{std::move(name), simulation.requested_scalars,
                 summary_of(to_tree(simulation, model::Detail::Summary)->value())};
    out.expected = simulation.expectations.size();
    out.held = static_cast<std::size_t>(std::ranges::count_if(simulation.expectations, &ExpectationResult::holds));
    out.input = simulation.input;
    out.kubernetes_version = simulation.kubernetes_version;
    return out;
}

std::string to_text(const std::vector<Compared> &all) {
    std::vector<std::string> titles{"CONFIGURATION"};
    std::set<std::string> requested_scalars;
    for (const auto &one : all) {
        titles.push_back(">" + printable(one.name));
        requested_scalars.insert(one.requested_scalars.begin(), one.requested_scalars.end());
    }
    Table table(std::move(titles));
    add_row(table, all, "pods placed", [](const Compared &c) { return count(c.summary.scheduled); });
    add_row(table, all, "pods pending", [](const Compared &c) { return count(c.summary.pending); });
    add_row(table, all, "pods preempted or evicted", [](const Compared &c) { return count(c.summary.evicted); });
    add_row(table, all, "placed elsewhere than by the first",
            [&](const Compared &c) { return &c == &all.front() ? "-" : count(differing(all, c)); });
    add_row(table, all, "nodes in use", [](const Compared &c) { return count(c.summary.nodes_in_use); });
    std::vector<std::string> resources{"cpu", "memory"};
    resources.insert(resources.end(), requested_scalars.begin(), requested_scalars.end());
    for (const auto &resource : resources)
        add_row(table, all, "use of " + resource, [&](const Compared &c) { return use(c.summary, resource); });
    std::set<ModelId> models;
    for (const auto &one : all)
        for (const auto &sum : one.summary.devices) models.emplace(sum.driver, sum.model);
    for (const auto &id : models)
        add_row(table, all, printable("allocated " + id.first + (id.second.empty() ? "" : " " + id.second)),
                [&](const Compared &c) { return allocated(c.summary, id); });
    if (std::ranges::any_of(all, [](const Compared &c) { return c.expected > 0; }))
        add_row(table, all, "expectations that hold",
                [](const Compared &c) { return count(c.held) + " of " + count(c.expected); });
    return table.text() + missing_texts(all);
}

model::TreePtr to_tree(const std::vector<Compared> &all) {
    auto tree = std::make_shared<model::Tree>();
    auto &arena = tree->arena;
    model::ArrayBuilder list(arena);
    for (const auto &one : all) {
        model::ObjectBuilder of(arena);
        of.add("name", std::string_view{one.name}).add("outcome", summary_value(arena, one.summary));
        of.add("differing", differing(all, one));
        if (one.expected > 0) of.add("expectations", one.expected).add("held", one.held);
        add_input(arena, of, one.input);
        list.add(of.value());
    }
    tree->root = model::ObjectBuilder(arena)
                     .add("apiVersion", "berth/v1alpha1")
                     .add("kind", "SimulationComparison")
                     .add("kubernetesVersion", std::string_view{all.front().kubernetes_version})
                     .add("configurations", list)
                     .value();
    return tree;
}

}  // namespace berth::report

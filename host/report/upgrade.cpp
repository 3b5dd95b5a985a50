// SPDX-License-Identifier: Apache-2.0
#include "report/upgrade.h"

#include "model/build.h"
#include "report/shadow.h"
#include "report/table.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace berth::report {
namespace {

using model::Agreement;
using model::ObjectBuilder;

/// For people, how decisions differ.
constexpr std::array<std::pair<Agreement, const char *>, 5> otherwise{
    {{Agreement::OtherNode, "another node"},
     {Agreement::OnlyReal, "no node, where there is one today"},
     {Agreement::OnlyShadow, "a node, where there is none today"},
     {Agreement::OtherReasons, "no node either, for reasons in other words"},
     {Agreement::Error, "the attempt fails"}}};

std::string described(const UpgradeSide &side) {
    std::string out = "Kubernetes " + side.kubernetes_version;
    if (!side.configuration.empty()) out += ", " + printable(side.configuration);
    if (!side.feature_gates.empty()) out += ", " + printable(side.feature_gates);
    return out;
}

/// The names of the two sides, as short as tells them apart.
std::pair<std::string, std::string> titles(const Upgrade &upgrade) {
    const auto &a = upgrade.from, &b = upgrade.to;
    if (a.kubernetes_version != b.kubernetes_version) return {a.kubernetes_version, b.kubernetes_version};
    return {"TODAY", "AFTERWARDS"};
}

/// What changes, for people: "feature gate X: off → on".
std::string change_text(const UpgradeChange &change, bool all) {
    constexpr std::size_t longest = 50;
    auto text_of = [&](const std::string &side) { return all ? printable(side) : clipped(printable(side), longest); };
    const auto both = text_of(change.before) + " → " + text_of(change.after);
    if (change.what == "Release") return "decides as Kubernetes " + both;
    if (change.what == "Gate") return "feature gate " + printable(change.gate) + ": " + both;
    if (change.what == "Weight") return "weight " + both;
    if (change.what == "Arguments") return "arguments " + both;
    if (change.what == "Sampling") return "percentageOfNodesToScore " + both;
    if (change.what == "Together") return "all of these together: " + printable(change.after);
    if (change.before == "in another order") return "another place among the plugins of " + printable(change.after);
    return "called at " + both;
}

std::string name_of(const UpgradeChange &change) { return change.plugin.empty() ? "-" : printable(change.plugin); }

std::string cause_text(const Upgrade &upgrade, const UpgradeDifference &difference) {
    std::vector<std::string> names;
    for (const auto i : difference.causes) {
        const auto &change = upgrade.changes[i];
        const auto name = change.plugin.empty() ? change.what : name_of(change);
        auto one = change.gate.empty() ? name : name + " (" + printable(change.gate) + ")";
        if (std::ranges::find(names, one) == names.end()) names.push_back(std::move(one));
    }
    std::string out;
    for (const auto &name : names) out += (out.empty() ? "" : " with ") + name;
    return out.empty() ? "several changes" : out;
}

std::string decisions_part(const Upgrade &upgrade) {
    const auto compared = upgrade.counts.compared(), differing = upgrade.counts.differing();
    std::string text = plural(compared, "decision") + ", of which " + grouped(differing) + " would differ\n";
    Table counts({">DECISIONS", "AFTERWARDS"});
    for (const auto &[agreement, words] : otherwise)
        if (const auto n = upgrade.counts.of(agreement); n > 0) counts.add({grouped(n), words});
    return text + (counts.size() > 0 ? counts.text(2) : "");
}

std::string changes_part(const Upgrade &upgrade, bool all) {
    if (upgrade.changes.empty()) return "\nNothing that plugins decide by changes.\n";
    std::vector<const UpgradeChange *> order;
    std::map<std::pair<std::string, std::string>, std::string> without_effect;  // by what changes, the plugins
    for (const auto &change : upgrade.changes) {
        if (change.decisions > 0) order.push_back(&change);
        else if (auto &names = without_effect[{change_text(change, all), change.tried ? "-" : "?"}]; names.empty())
            names = name_of(change);
        else names += ", " + name_of(change);
    }
    std::ranges::stable_sort(order, std::greater{}, &UpgradeChange::decisions);
    Table table({">DECISIONS", "CHANGE", "PLUGIN"});
    for (const auto *change : order)
        table.add({grouped(change->decisions), change_text(*change, all), name_of(*change)});
    for (const auto &[change, names] : without_effect) table.add({change.second, change.first, names});
    auto text = "\nCHANGES, and how many of these decisions would be as today without each\n" + table.text(2);
    std::uint64_t several = 0;
    for (const auto &one : upgrade.differences) several += one.causes.empty() ? 1 : 0;
    if (several > 0) text += "  For " + grouped(several) + " of the decisions no change alone is the cause.\n";
    return text;
}

std::string differences_part(const Upgrade &upgrade, bool all) {
    if (upgrade.differences.empty()) return "";
    const auto [before, after] = titles(upgrade);
    Table table({"POD", ">ATTEMPT", before, after, "BECAUSE OF"});
    const auto shown = all ? upgrade.differences.size() : std::min(upgrade.differences.size(), rows_shown);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto &one = upgrade.differences[i];
        const auto &d = *one.decision;
        table.add({printable(d.pod.name_space + "/" + d.pod.name), std::to_string(d.attempt), side_text(d.real, all),
                   side_text(d.shadow, all), cause_text(upgrade, one)});
    }
    auto text = "\nDECISIONS\n" + table.text(2);
    if (shown < upgrade.differences.size()) text += cut_off(upgrade.differences.size() - shown, "decisions");
    return text;
}

std::string outcome_part(const Upgrade &upgrade, bool all) {
    if (!upgrade.outcome) return "";
    const auto &[before, after] = *upgrade.outcome;
    const auto [was, is] = titles(upgrade);
    auto count = [](std::int64_t n) { return grouped(static_cast<std::uint64_t>(n)); };
    Table table({"WHOLE SIMULATION", ">" + was, ">" + is});
    table.add({"pods placed", count(before.scheduled), count(after.scheduled)});
    table.add({"pods pending", count(before.pending), count(after.pending)});
    table.add({"pods preempted or evicted", count(before.evicted), count(after.evicted)});
    table.add({"nodes in use", count(before.nodes_in_use), count(after.nodes_in_use)});
    auto text = "\n" + table.text();
    const auto moved = differences(before, after);
    if (moved.empty()) return text + "Every pod ends where it does today.\n";
    text += plural(moved.size(), "pod") + (moved.size() == 1 ? " ends" : " end") +
            " elsewhere; a pod that goes to another node also changes what the pods after it find\n";
    Table pods({"POD", was, is});
    const auto shown = all ? moved.size() : std::min(moved.size(), rows_shown);
    auto at = moved.begin();
    for (std::size_t i = 0; i < shown; ++i, ++at) {
        auto node = [](const std::string &name) { return name.empty() ? std::string("none") : printable(name); };
        pods.add({printable(at->first), node(at->second.first), node(at->second.second)});
    }
    text += pods.text(2);
    if (shown < moved.size()) text += cut_off(moved.size() - shown, "pods");
    return text;
}

void add_side(model::Arena &arena, ObjectBuilder &out, const char *name, const UpgradeSide &side) {
    ObjectBuilder one(arena);
    one.add("kubernetesVersion", std::string_view{side.kubernetes_version});
    if (!side.configuration.empty()) one.add("configuration", std::string_view{side.configuration});
    if (!side.feature_gates.empty()) one.add("featureGates", std::string_view{side.feature_gates});
    out.add(name, one);
}

berth_value change_value(model::Arena &arena, const UpgradeChange &change) {
    ObjectBuilder out(arena);
    out.add("what", std::string_view{change.what});
    for (const auto &[name, text] : {std::pair{"plugin", &change.plugin}, {"gate", &change.gate}})
        if (!text->empty()) out.add(name, std::string_view{*text});
    out.add("before", std::string_view{change.before}).add("after", std::string_view{change.after});
    if (change.tried) out.add("decisions", change.decisions);
    return out.value();
}

berth_value pod_value(model::Arena &arena, const std::string &pod, const std::pair<std::string, std::string> &nodes) {
    ObjectBuilder out(arena);
    const auto slash = pod.find('/');
    out.add("namespace", std::string_view(pod).substr(0, slash)).add("name", std::string_view(pod).substr(slash + 1));
    if (!nodes.first.empty()) out.add("before", std::string_view{nodes.first});
    if (!nodes.second.empty()) out.add("after", std::string_view{nodes.second});
    return out.value();
}

}  // namespace

bool Upgrade::differs() const {
    return counts.differing() > 0 || (outcome && !report::differences(outcome->before, outcome->after).empty());
}

std::string to_text(const Upgrade &upgrade, bool all) {
    std::string text = "UPGRADE from " + described(upgrade.from) + "\n          to " + described(upgrade.to) + "\n";
    return text + decisions_part(upgrade) + changes_part(upgrade, all) + differences_part(upgrade, all) +
           outcome_part(upgrade, all);
}

model::TreePtr to_tree(const Upgrade &upgrade) {
    auto tree = std::make_shared<model::Tree>();
    auto &arena = tree->arena;
    ObjectBuilder out(arena), decisions(arena);
    out.add("apiVersion", "berth/v1alpha1").add("kind", "UpgradePreview");
    add_side(arena, out, "from", upgrade.from);
    add_side(arena, out, "to", upgrade.to);
    decisions.add("compared", upgrade.counts.compared()).add("differing", upgrade.counts.differing());
    for (std::size_t i = 0; i < model::agreements; ++i)
        decisions.add(model::agreement_name(static_cast<Agreement>(i)), upgrade.counts.attempts[i]);
    model::ArrayBuilder changes(arena), differences(arena);
    for (const auto &change : upgrade.changes) changes.add(change_value(arena, change));
    for (const auto &one : upgrade.differences) {
        auto value = difference_value(arena, *one.decision, {"before", "after"});
        model::ArrayBuilder causes(arena);
        for (const auto i : one.causes) causes.add(change_value(arena, upgrade.changes[i]));
        if (!one.recording.empty()) value.add("recording", std::string_view{one.recording});
        differences.add(value.add("causes", causes).value());
    }
    out.add("decisions", decisions).add("changes", changes).add("differences", differences);
    if (upgrade.outcome) {
        ObjectBuilder outcome(arena);
        model::ArrayBuilder pods(arena);
        const auto &[before, after] = *upgrade.outcome;
        for (const auto &[pod, nodes] : report::differences(before, after)) pods.add(pod_value(arena, pod, nodes));
        outcome.add("before", summary_value(arena, before)).add("after", summary_value(arena, after));
        out.add("outcome", outcome.add("pods", pods));
    }
    tree->root = out.value();
    return tree;
}

}  // namespace berth::report

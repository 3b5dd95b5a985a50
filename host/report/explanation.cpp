// SPDX-License-Identifier: Apache-2.0
#include "report/explanation.h"

#include "model/time.h"
#include "report/answer_values.h"

#include <algorithm>
#include <set>
#include <utility>

namespace berth::report {
namespace {

using model::ArrayBuilder;
using model::ObjectBuilder;

ObjectBuilder decision_value(model::Arena &arena, const model::Decision &d, model::Detail detail) {
    ObjectBuilder out(arena);
    model::add_members(arena, out, d, detail);
    add_rejections(arena, out, d.rejections);
    return out.add("seconds", model::in_seconds(d.decided_ns - d.began_ns));
}

ObjectBuilder scheduling_state_value(model::Arena &arena, const model::SchedulingState &s) {
    ObjectBuilder out(arena);
    out.add("state", model::state_name(s.state)).add("profile", std::string_view{s.profile});
    add_text(out, "node", s.node);
    add_text(out, "nominatedNode", s.nominated_node);
    model::add_victims(arena, out, s.victims);
    add_text(out, "gatedBy", s.gated_by);
    out.add("attempts", s.attempts);
    add_time(out, "since", s.since_ns);
    add_time(out, "firstAttempt", s.first_ns);
    add_time(out, "until", s.until_ns);
    add_texts(arena, out, "rejectedBy", s.rejected_by);
    if (!s.wakes.empty()) out.add("wakes", wakes_value(arena, s.wakes, true));
    return out;
}

/// The best of the feasible nodes and the first of the others; how many were left out.
std::size_t keep_some(std::vector<model::NodeRecord> &nodes, std::size_t most, const std::string &chosen) {
    auto rejected =
        std::stable_partition(nodes.begin(), nodes.end(), [](const auto &n) { return n.verdict.success(); });
    std::stable_sort(nodes.begin(), rejected, [&](const auto &a, const auto &b) {
        return a.total != b.total ? a.total > b.total : a.name == chosen && b.name != chosen;
    });
    const auto all = nodes.size();
    const auto others = static_cast<std::size_t>(nodes.end() - rejected);
    if (others > most) nodes.erase(rejected + static_cast<std::ptrdiff_t>(most), nodes.end());
    const auto feasible = all - others;
    if (feasible > most)
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(most),
                    nodes.begin() + static_cast<std::ptrdiff_t>(feasible));
    return all - nodes.size();
}

std::string_view kind_name(model::Remedy::Change::Kind kind) {
    using Kind = model::Remedy::Change::Kind;
    switch (kind) {
        case Kind::Resource: return "Resource";
        case Kind::Pods: return "Pods";
        case Kind::Toleration: return "Toleration";
        case Kind::Uncordon: return "Uncordon";
        case Kind::Label: return "Label";
        case Kind::NoLabel: return "NoLabel";
        case Kind::Other: break;
    }
    return "Other";
}

ObjectBuilder remedy_value(model::Arena &arena, const model::Remedy &remedy) {
    ArrayBuilder changes(arena);
    for (const auto &c : remedy.changes) {
        ObjectBuilder one(arena);
        one.add("kind", kind_name(c.kind));
        if (!c.name.empty()) one.add("name", std::string_view{c.name});
        if (!c.value.empty()) one.add("value", std::string_view{c.value});
        if (!c.effect.empty()) one.add("effect", std::string_view{c.effect});
        if (c.amount != 0) one.add("amount", c.amount);
        changes.add(one.value());
    }
    ObjectBuilder out(arena);
    out.add("change", std::string_view{remedy_text(remedy)}).add("node", std::string_view{remedy.node});
    out.add("plugin", std::string_view{remedy.plugin}).add("nodes", remedy.nodes);
    if (!changes.empty()) out.add("changes", changes);
    return out;
}

ObjectBuilder evaluation_value(model::Arena &arena, const Explanation &e, std::size_t nodes) {
    auto now = *e.now;
    const auto left_out = keep_some(now.decision.nodes, nodes, now.decision.node);
    auto out = decision_value(arena, now.decision, model::Detail::Nodes);
    if (left_out > 0) out.add("omittedNodes", left_out);
    add_texts(arena, out, "notAsked", now.not_called);
    ArrayBuilder remedies(arena);
    for (const auto &remedy : e.remedies) remedies.add(remedy_value(arena, remedy).value());
    if (!remedies.empty()) out.add("remedies", remedies);
    ArrayBuilder times(arena);
    for (const auto &t : e.times) {
        ObjectBuilder one(arena);
        one.add("plugin", std::string_view{t.plugin}).add("extensionPoint", std::string_view{t.point});
        times.add(one.add("nodes", t.nodes).add("seconds", model::in_seconds(t.ns)).value());
    }
    if (!times.empty()) out.add("times", times);
    return out;
}

ArrayBuilder decisions_value(model::Arena &arena, const DecisionRing::Entries &decisions,
                             model::Detail detail = model::Detail::Summary) {
    ArrayBuilder out(arena);
    for (const auto &d : decisions) out.add(decision_value(arena, *d, detail).value());
    return out;
}

}  // namespace

std::string list_json(const Answerer &by, const DecisionRing::Entries &decisions,
                      const std::vector<std::string> &warnings) {
    model::Arena arena;
    auto out = answer_head(arena, "DecisionList", by, nullptr).add("items", decisions_value(arena, decisions));
    add_texts(arena, out, "warnings", warnings);
    return text_of(out);
}

std::string explanation_json(const Explanation &e, std::size_t nodes, model::Detail detail) {
    model::Arena arena;
    auto out = answer_head(arena, "Explanation", e.by, &e.pod);
    if (e.scheduling_state) out.add("standing", scheduling_state_value(arena, *e.scheduling_state));
    out.add("decisions", decisions_value(arena, e.decisions, detail));
    if (e.now) out.add("evaluation", evaluation_value(arena, e, nodes));
    add_texts(arena, out, "warnings", e.warnings);
    return text_of(out);
}

std::string dry_run_json(const Explanation &e, std::size_t nodes) {
    model::Arena arena;
    auto out = answer_head(arena, "DryRun", e.by, &e.pod);
    if (e.now) out.add("evaluation", evaluation_value(arena, e, nodes));
    add_texts(arena, out, "warnings", e.warnings);
    return text_of(out);
}

std::string comparison_json(const Answerer &by, const model::PodRef &pod, model::Decision real, model::Decision shadow,
                            std::size_t nodes) {
    std::set<std::string> kept;
    for (auto side : {real, shadow}) {
        keep_some(side.nodes, nodes, side.node);
        for (auto &node : side.nodes) kept.insert(std::move(node.name));
    }
    model::Arena arena;
    auto out = answer_head(arena, "Comparison", by, &pod);
    for (auto [name, side] : {std::pair{"real", &real}, {"shadow", &shadow}}) {
        std::erase_if(side->nodes, [&](const auto &node) { return !kept.contains(node.name); });
        side->pod.uid.clear();
        out.add(name, decision_value(arena, *side, model::Detail::Nodes));
    }
    return text_of(out);
}

}  // namespace berth::report

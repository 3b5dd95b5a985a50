// SPDX-License-Identifier: Apache-2.0
#include "report/explanation.h"

#include "decode/write.h"
#include "model/build.h"
#include "model/time.h"

#include <algorithm>

namespace berth::report {
namespace {

using model::ArrayBuilder;
using model::ObjectBuilder;

void add_texts(model::Arena &arena, ObjectBuilder &to, std::string_view key, const std::vector<std::string> &texts) {
    if (texts.empty()) return;
    ArrayBuilder list(arena);
    for (const auto &text : texts) list.add(std::string_view{text});
    to.add(key, list);
}
void add_text(ObjectBuilder &to, std::string_view key, std::string_view text) {
    if (!text.empty()) to.add(key, text);
}
void add_time(ObjectBuilder &to, std::string_view key, std::int64_t ns) {
    if (ns != 0) to.add(key, std::string_view{model::format_time(ns)});
}

ObjectBuilder decision_value(model::Arena &arena, const model::Decision &d, model::Detail detail) {
    constexpr double second = 1e9;
    ObjectBuilder out(arena);
    model::add_members(arena, out, d, detail);
    ArrayBuilder rejections(arena);
    for (const auto &r : d.rejections) {
        ObjectBuilder one(arena);
        one.add("nodes", r.nodes).add("plugin", std::string_view{r.plugin});
        one.add("status", std::string_view{model::code_name(r.code)});
        add_texts(arena, one, "reasons", r.reasons);
        rejections.add(one.value());
    }
    if (!rejections.empty()) out.add("rejections", rejections);
    return out.add("seconds", static_cast<double>(d.decided_ns - d.began_ns) / second);
}

ObjectBuilder standing_value(model::Arena &arena, const model::Standing &s) {
    ObjectBuilder out(arena);
    out.add("state", model::state_name(s.state)).add("profile", std::string_view{s.profile});
    add_text(out, "node", s.node);
    add_text(out, "nominatedNode", s.nominated_node);
    add_text(out, "gatedBy", s.gated_by);
    out.add("attempts", s.attempts);
    add_time(out, "since", s.since_ns);
    add_time(out, "until", s.until_ns);
    add_texts(arena, out, "rejectedBy", s.rejected_by);
    ArrayBuilder wakes(arena);
    for (const auto &w : s.wakes) {
        ObjectBuilder one(arena);
        ArrayBuilder actions(arena);
        for (auto action : w.actions) actions.add(action);
        one.add("plugin", std::string_view{w.plugin}).add("resource", std::string_view{w.resource});
        wakes.add(one.add("actions", actions).add("hint", w.looks).value());
    }
    if (!wakes.empty()) out.add("wakes", wakes);
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

ObjectBuilder evaluation_value(model::Arena &arena, model::Rehearsal now, std::size_t nodes) {
    const auto left_out = keep_some(now.decision.nodes, nodes, now.decision.node);
    auto out = decision_value(arena, now.decision, model::Detail::Nodes);
    if (left_out > 0) out.add("omittedNodes", left_out);
    add_texts(arena, out, "notAsked", now.not_asked);
    return out;
}

ObjectBuilder head(model::Arena &arena, const char *kind, const Answerer &by, const model::PodRef *pod) {
    ObjectBuilder out(arena), metadata(arena);
    if (pod) {
        metadata.add("namespace", std::string_view{pod->name_space}).add("name", std::string_view{pod->name});
        add_text(metadata, "uid", pod->uid);
    }
    out.add("kind", kind).add("apiVersion", explain_api).add("metadata", metadata);
    return out.add("leads", by.leads).add("time", std::string_view{model::format_time(by.time_ns)});
}

std::string text_of(const ObjectBuilder &object) {
    const auto value = object.value();
    return decode::to_json(model::Value{&value}) + "\n";
}

ArrayBuilder decisions_value(model::Arena &arena, const DecisionRing::Entries &decisions) {
    ArrayBuilder out(arena);
    for (const auto &d : decisions) out.add(decision_value(arena, *d, model::Detail::Summary).value());
    return out;
}

}  // namespace

std::string list_json(const Answerer &by, const DecisionRing::Entries &decisions) {
    model::Arena arena;
    return text_of(head(arena, "DecisionList", by, nullptr).add("items", decisions_value(arena, decisions)));
}

std::string explanation_json(const Explanation &e, std::size_t nodes) {
    model::Arena arena;
    auto out = head(arena, "Explanation", e.by, &e.pod);
    if (e.standing) out.add("standing", standing_value(arena, *e.standing));
    out.add("decisions", decisions_value(arena, e.decisions));
    if (e.now) out.add("evaluation", evaluation_value(arena, *e.now, nodes));
    add_texts(arena, out, "warnings", e.warnings);
    return text_of(out);
}

std::string dry_run_json(const Explanation &e, std::size_t nodes) {
    model::Arena arena;
    auto out = head(arena, "DryRun", e.by, &e.pod);
    if (e.now) out.add("evaluation", evaluation_value(arena, *e.now, nodes));
    add_texts(arena, out, "warnings", e.warnings);
    return text_of(out);
}

}  // namespace berth::report

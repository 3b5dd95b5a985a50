// SPDX-License-Identifier: Apache-2.0
#include "report/shadow.h"

#include "model/time.h"
#include "report/answer_values.h"
#include "report/table.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace berth::report {
namespace {

using model::Agreement;
using model::ObjectBuilder;
using model::Value;

/// For people, what the shadow would have done.
constexpr std::array<std::pair<Agreement, const char *>, model::agreements - 1> otherwise{
    {{Agreement::OtherNode, "another node"},
     {Agreement::OnlyReal, "no node, where the real configuration found one"},
     {Agreement::OnlyShadow, "a node, where the real configuration found none"},
     {Agreement::OtherReasons, "no node either, for other reasons"},
     {Agreement::Error, "its attempt failed"},
     {Agreement::Skipped, "not asked: its time was used up"}}};

ObjectBuilder side_value(model::Arena &arena, const model::Difference::Side &side) {
    ObjectBuilder out(arena);
    add_text(out, "node", side.node);
    add_text(out, "phase", side.phase);
    add_text(out, "message", side.message);
    add_texts(arena, out, "rejectedBy", side.rejected_by);
    return out;
}

std::uint64_t number_of(Value v) { return static_cast<std::uint64_t>(v.integer().value_or(0)); }

/// Where it has the pod, or why nowhere.
std::string side_text(std::string_view node, std::string_view message, bool all) {
    constexpr std::size_t longest = 50;
    if (!node.empty()) return printable(node);
    // "0/5 nodes are available: …": the messages differ behind it.
    constexpr std::string_view opening = " nodes are available: ";
    if (const auto at = message.find(opening); !all && at != message.npos) message.remove_prefix(at + opening.size());
    const auto text = "none: " + printable(message);
    return all ? text : clipped(text, longest);
}

std::string side_text(Value side, bool all) { return side_text(side["node"].string(), side["message"].string(), all); }

void add_counts(model::Arena &arena, ObjectBuilder &out, const ShadowReport &report) {
    const auto &counts = report.counts;
    ObjectBuilder attempts(arena);
    attempts.add("compared", counts.compared()).add("differing", counts.differing());
    for (std::size_t i = 0; i < model::agreements; ++i)
        attempts.add(model::agreement_name(static_cast<Agreement>(i)), counts.attempts[i]);
    model::ArrayBuilder differences(arena);
    for (const auto &d : report.differences) differences.add(difference_value(arena, *d).value());
    out.add("configuration", report.configuration);
    add_text(out, "kubernetesVersion", report.kubernetes_version);
    out.add("attempts", attempts);
    out.add("realSeconds", model::in_seconds(counts.real_ns));
    out.add("shadowSeconds", model::in_seconds(counts.shadow_ns)).add("differences", differences);
}

}  // namespace

std::string side_text(const model::Difference::Side &side, bool all) { return side_text(side.node, side.message, all); }

ObjectBuilder difference_value(model::Arena &arena, const model::Difference &d,
                               const std::pair<const char *, const char *> &names) {
    ObjectBuilder out(arena), pod(arena);
    pod.add("namespace", d.pod.name_space).add("name", d.pod.name);
    add_text(pod, "uid", d.pod.uid);
    out.add("pod", pod).add("profile", d.profile).add("attempt", d.attempt);
    add_time(out, "time", d.time_ns);
    out.add("agreement", model::agreement_name(d.agreement)).add(names.first, side_value(arena, d.real));
    return out.add(names.second, side_value(arena, d.shadow));
}

ObjectBuilder shadow_value(model::Arena &arena, const ShadowReport &report) {
    ObjectBuilder out(arena);
    add_counts(arena, out, report);
    return out;
}

std::string shadow_json(const Answerer &by, const ShadowState &state) {
    model::Arena arena;
    auto out = answer_head(arena, "Shadow", by, nullptr);
    out.add("asked", state.why_not.empty());
    add_text(out, "whyNot", state.why_not);
    if (state.budget_percent) out.add("budgetPercent", *state.budget_percent);
    model::ArrayBuilder failures(arena);
    for (const auto &[who, times] : state.failures) {
        ObjectBuilder one(arena);
        one.add("plugin", std::string_view{who.first}).add("extensionPoint", std::string_view{who.second});
        failures.add(one.add("times", times).value());
    }
    if (!failures.empty()) out.add("failures", failures);
    add_counts(arena, out, state.report);
    return text_of(out);
}

std::string shadow_text(Value shadow, bool all) {
    constexpr double milli = 1e3;
    const auto attempts = shadow["attempts"];
    auto ms = [&](const char *key) { return static_cast<std::int64_t>(shadow[key].number().value_or(0) * milli); };
    const auto compared = number_of(attempts["compared"]), same = number_of(attempts["same"]);
    const auto version = printable(shadow["kubernetesVersion"].string());
    std::string text = "SHADOW " + printable(shadow["configuration"].string()) +
                       (version.empty() ? "" : ", as Kubernetes " + version) + "\n  " + grouped(compared) +
                       (compared == 1 ? " attempt" : " attempts") + " compared, " + grouped(same) + " alike";
    if (ms("realSeconds") > 0)
        text += "; it took " + percent(ms("shadowSeconds"), ms("realSeconds")) + " of the time of the real ones";
    text += "\n";
    Table counts({">ATTEMPTS", "IN THE SHADOW"});
    for (const auto &[agreement, words] : otherwise)
        if (const auto n = number_of(attempts[model::agreement_name(agreement)]); n > 0)
            counts.add({grouped(n), words});
    if (counts.size() > 0) text += "\n" + counts.text(2);
    const auto list = shadow["differences"];
    const auto shown = all ? list.size() : std::min(list.size(), rows_shown);
    if (shown == 0) return text;
    Table table({"POD", ">ATTEMPT", "REAL", "SHADOW"});
    for (std::size_t i = 0; i < shown; ++i) {
        const auto d = list.at(i);
        table.add({printable(d["pod"]["namespace"].string()) + "/" + printable(d["pod"]["name"].string()),
                   std::to_string(number_of(d["attempt"])), side_text(d["real"], all), side_text(d["shadow"], all)});
    }
    text += "\nDIFFERENCES, the newest first\n" + table.text(2);
    if (shown < list.size()) text += "  … and " + grouped(list.size() - shown) + " more\n";
    return text;
}

std::string shadow_view(Value answer) {
    std::string text;
    if (answer["asked"].boolean() == false)
        text = "The shadow is not asked: " + printable(answer["whyNot"].string()) + "\n\n";
    const auto failures = answer["failures"];
    Table table({">TIMES", "MISBEHAVED", "AT"});
    for (std::size_t i = 0; i < failures.size(); ++i) {
        const auto one = failures.at(i);
        table.add({grouped(number_of(one["times"])), printable(one["plugin"].string()),
                   printable(one["extensionPoint"].string())});
    }
    return text + shadow_text(answer, false) + (table.size() == 0 ? "" : "\nPLUGINS THAT MISBEHAVE\n" + table.text(2));
}

std::string shadow_text(const ShadowReport &report, bool all) {
    model::Tree tree;
    tree.root = shadow_value(tree.arena, report).value();
    return shadow_text(tree.value(), all);
}

}  // namespace berth::report

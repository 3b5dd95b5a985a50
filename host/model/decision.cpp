// SPDX-License-Identifier: Apache-2.0
#include "model/decision.h"

#include "model/build.h"
#include "model/time.h"

#include <array>
#include <cstddef>

namespace berth::model {
namespace {

void add_text(ObjectBuilder &object, std::string_view key, std::string_view text) {
    if (!text.empty()) object.add(key, text);
}

void add_texts(Arena &arena, ObjectBuilder &object, std::string_view key, const std::vector<std::string> &texts) {
    if (texts.empty()) return;
    ArrayBuilder list(arena);
    for (const auto &text : texts) list.add(std::string_view{text});
    object.add(key, list);
}

/// A status: its code by name, and why. The text of an error comes before the reasons, as in upstream's messages.
void add_status(Arena &arena, ObjectBuilder &object, std::string_view plugin, const Status &status) {
    object.add("plugin", plugin).add("status", std::string_view{code_name(status.code)});
    auto reasons = status.reasons;
    if (!status.error.empty()) reasons.insert(reasons.begin(), status.error);
    add_texts(arena, object, "reasons", reasons);
}

ObjectBuilder pre_filter_value(Arena &arena, const PreFilterRecord &record) {
    ObjectBuilder object(arena);
    add_status(arena, object, record.plugin, record.status);
    if (record.limited) {
        ArrayBuilder names(arena);
        for (const auto &name : record.nodes) names.add(std::string_view{name});
        object.add("nodes", names);
    }
    return object;
}

ObjectBuilder post_filter_value(Arena &arena, const PostFilterRecord &record) {
    ObjectBuilder object(arena);
    add_status(arena, object, record.plugin, record.status);
    if (record.nominated) object.add("nominatedNode", std::string_view{*record.nominated});
    add_victims(arena, object, record.victims);
    return object;
}

ObjectBuilder node_value(Arena &arena, const NodeRecord &record) {
    ObjectBuilder object(arena);
    object.add("name", std::string_view{record.name});
    if (!record.verdict.success()) {
        ObjectBuilder verdict(arena);
        add_status(arena, verdict, record.verdict.plugin, record.verdict);
        object.add("verdict", verdict);
    }
    if (!record.scored) return object;
    ArrayBuilder scores(arena);
    for (const auto &score : record.scores) {
        ObjectBuilder entry(arena);
        entry.add("plugin", std::string_view{score.plugin}).add("raw", score.raw);
        entry.add("normalized", score.normalized).add("weighted", score.weighted);
        scores.add(entry.value());
    }
    object.add("scores", scores).add("total", record.total);
    return object;
}

}  // namespace

std::string_view result_name(AttemptResult result) {
    static constexpr std::array<std::string_view, 5> names{"Scheduled", "Unschedulable", "Waiting", "Gated", "Error"};
    return names[static_cast<std::size_t>(result)];
}

void add_victims(Arena &arena, ObjectBuilder &object, const Victims &victims) {
    if (victims.pods.empty()) return;
    add_texts(arena, object, "victims", victims.pods);
    if (victims.more > 0) object.add("moreVictims", victims.more);
    add_text(object, "victimsReason", victims.reason);
}

void add_members(Arena &arena, ObjectBuilder &object, const Decision &decision, Detail detail) {
    ObjectBuilder pod(arena);
    pod.add("namespace", std::string_view{decision.pod.name_space}).add("name", std::string_view{decision.pod.name});
    add_text(pod, "uid", decision.pod.uid);
    object.add("seq", decision.seq).add("pod", pod);
    add_text(object, "profile", decision.profile);
    object.add("attempt", decision.attempt).add("cycle", decision.cycle);
    object.add("time", std::string_view{format_time(decision.time_ns)});
    object.add("result", result_name(decision.result));
    add_text(object, "phase", decision.phase);
    add_text(object, "node", decision.node);
    add_text(object, "reason", decision.reason);
    add_text(object, "message", decision.message);
    add_texts(arena, object, "rejectedBy", decision.rejected_by);
    add_text(object, "nominatedNode", decision.nominated_node);
    add_victims(arena, object, decision.victims);
    object.add("evaluatedNodes", decision.evaluated_nodes).add("feasibleNodes", decision.feasible_nodes);
    object.add("startIndex", decision.start_index);
    if (detail == Detail::Summary) return;
    ArrayBuilder pre_filter(arena), nodes(arena), post_filter(arena);
    for (const auto &record : decision.pre_filter) pre_filter.add(pre_filter_value(arena, record).value());
    for (const auto &record : decision.nodes) nodes.add(node_value(arena, record).value());
    if (!pre_filter.empty()) object.add("preFilter", pre_filter);
    for (const auto &record : decision.post_filter) post_filter.add(post_filter_value(arena, record).value());
    if (!nodes.empty()) object.add("nodes", nodes);
    if (!post_filter.empty()) object.add("postFilter", post_filter);
}

berth_value to_value(Arena &arena, const Decision &decision, Detail detail) {
    ObjectBuilder object(arena);
    add_members(arena, object, decision, detail);
    return object.value();
}

berth_value to_value(Arena &arena, const DecisionEvent &event) {
    ObjectBuilder what(arena), object(arena);
    what.add("type", std::string_view{event.type}).add("kind", std::string_view{event.kind});
    add_text(what, "namespace", event.name_space);
    what.add("name", std::string_view{event.name});
    if (event.object) what.add("object", event.object->value());
    return object.add("seq", event.seq).add("event", what).value();
}

}  // namespace berth::model

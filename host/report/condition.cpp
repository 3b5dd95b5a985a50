// SPDX-License-Identifier: Apache-2.0
#include "report/condition.h"

#include "decode/write.h"
#include "model/build.h"
#include "model/time.h"

namespace berth::report {

namespace {

constexpr std::string_view scheduled = "PodScheduled";

/// Times in conditions have no fraction.
std::string seconds_text(std::int64_t ns) {
    std::string text = model::format_time(ns);
    return text.substr(0, text.find('.')) + "Z";
}

/// What Go's merge of two lists by key says of their order: the types of all conditions that the result has.
void add_order(model::Arena &arena, model::ObjectBuilder &status, model::Value conditions, std::string_view type,
               bool is_new) {
    model::ArrayBuilder order(arena);
    auto add = [&](std::string_view one) { order.add(model::ObjectBuilder(arena).add("type", one).value()); };
    for (std::size_t i = 0; i < conditions.size(); ++i) add(conditions.at(i)["type"].string());
    if (is_new) add(type);
    status.add("$setElementOrder/conditions", order);
}

/// The patch of the status of the object with that uid, and of no other that has its name by the time that it comes: an
/// API server refuses to change a uid.
std::string patch_of(model::Arena &arena, std::string_view uid, const model::ObjectBuilder &status) {
    model::ObjectBuilder patch(arena);
    if (!uid.empty()) patch.add("metadata", model::ObjectBuilder(arena).add("uid", uid));
    auto value = patch.add("status", status).value();
    return decode::to_json(model::Value{&value});
}

env::ApiRequest status_patch(std::string patch) {
    env::ApiRequest request;
    request.verb = env::Verb::Patch;
    request.subresource = "status";
    request.content_type = "application/strategic-merge-patch+json";
    request.body = std::move(patch);
    return request;
}

void add_nomination(model::ObjectBuilder &status, std::string_view node) {
    if (node.empty()) status.add("nominatedNodeName", model::make_null());
    else status.add("nominatedNodeName", node);
}

}  // namespace

std::optional<std::string> condition_patch(const model::Pod &pod, const model::Decision &decision,
                                           std::int64_t now_ns) {
    model::Arena arena;
    auto root = pod.tree->value();
    auto conditions = root["status"]["conditions"];
    model::Value old;
    for (std::size_t i = 0; i < conditions.size(); ++i)
        if (conditions.at(i)["type"].string() == scheduled) old = conditions.at(i);
    bool is_new = old.is_null();
    auto generation = root["metadata"]["generation"].integer().value_or(0);

    bool same_status = old["status"].string() == "False";
    bool same_reason = old["reason"].string() == decision.reason;
    bool same_message = old["message"].string() == decision.message;
    // Ours has no probe time.
    bool same_probe = !is_new && old["lastProbeTime"].is_null();
    bool changed = !same_probe || !same_status || !same_reason || !same_message;
    bool nominates = decision.nomination && *decision.nomination != pod.nominated_node();
    if (!changed && !nominates) return std::nullopt;

    model::ObjectBuilder status(arena);
    if (changed) {
        if (conditions.size() > 0) add_order(arena, status, conditions, scheduled, is_new);
        model::ObjectBuilder condition(arena);
        if (!same_probe) condition.add("lastProbeTime", model::make_null());
        if (!same_status) condition.add("lastTransitionTime", seconds_text(now_ns));
        if (!same_message) condition.add("message", decision.message);
        if (generation != 0 && old["observedGeneration"].integer().value_or(0) != generation)
            condition.add("observedGeneration", generation);
        if (!same_reason) condition.add("reason", decision.reason);
        if (!same_status) condition.add("status", "False");
        condition.add("type", scheduled);
        status.add("conditions", model::ArrayBuilder(arena).add(condition.value()));
    }
    if (nominates) add_nomination(status, *decision.nomination);
    return patch_of(arena, pod.uid(), status);
}

std::optional<std::string> nomination_patch(const model::Pod &pod, std::string_view node) {
    if (pod.nominated_node() == node) return std::nullopt;
    model::Arena arena;
    model::ObjectBuilder status(arena);
    add_nomination(status, node);
    return patch_of(arena, pod.uid(), status);
}

env::ApiRequest group_request(const model::PodGroup &group, const model::GroupCondition &condition,
                              std::int64_t now_ns) {
    model::Arena arena;
    const auto conditions = group.object->tree->value()["status"]["conditions"];
    const auto &old = group.condition;
    model::ObjectBuilder status(arena), now(arena);
    if (conditions.size() > 0) add_order(arena, status, conditions, model::PodGroup::scheduled, !old);
    const bool same_status = old && old->holds == condition.holds;
    if (!same_status) now.add("lastTransitionTime", seconds_text(now_ns));
    if (!old || old->message != condition.message) now.add("message", condition.message);
    if ((old ? old->generation : 0) != condition.generation) now.add("observedGeneration", condition.generation);
    if (!old || old->reason != condition.reason) now.add("reason", condition.reason);
    if (!same_status) now.add("status", condition.holds ? "True" : "False");
    now.add("type", model::PodGroup::scheduled);
    status.add("conditions", model::ArrayBuilder(arena).add(now.value()));
    const auto &kind = model::pod_group_kind();
    env::ApiRequest request =
        status_patch(patch_of(arena, group.object->tree->value()["metadata"]["uid"].string(), status));
    request.group = kind.group;
    request.version = kind.version;
    request.resource = kind.resource;
    request.name_space = group.name_space();
    request.name = group.name();
    return request;
}

bool is_gone(const env::ApiAnswer &answer) {
    constexpr int not_found = 404, conflict = 409, invalid = 422;
    const auto says = [&](const char *words) { return answer.body.find(words) != std::string::npos; };
    return answer.http_status == not_found || (answer.http_status == conflict && says("UID in ")) ||
           (answer.http_status == invalid && says("metadata.uid"));
}

env::ApiRequest status_request(const model::Pod &pod, std::string patch) {
    env::ApiRequest request = status_patch(std::move(patch));
    request.version = "v1";
    request.resource = "pods";
    request.name_space = pod.name_space();
    request.name = pod.name();
    return request;
}

}  // namespace berth::report

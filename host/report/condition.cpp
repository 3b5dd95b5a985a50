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
void add_order(model::Arena &arena, model::ObjectBuilder &status, model::Value conditions, bool is_new) {
    model::ArrayBuilder order(arena);
    auto add = [&](std::string_view type) { order.add(model::ObjectBuilder(arena).add("type", type).value()); };
    for (std::size_t i = 0; i < conditions.size(); ++i) add(conditions.at(i)["type"].string());
    if (is_new) add(scheduled);
    status.add("$setElementOrder/conditions", order);
}

/// The patch of the status of that pod, and of no other that has its name by the time that it comes: an API server
/// refuses to change a uid.
std::string patch_of(model::Arena &arena, const model::Pod &pod, const model::ObjectBuilder &status) {
    model::ObjectBuilder patch(arena);
    if (!pod.uid().empty()) patch.add("metadata", model::ObjectBuilder(arena).add("uid", pod.uid()));
    auto value = patch.add("status", status).value();
    return decode::to_json(model::Value{&value});
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
        if (conditions.size() > 0) add_order(arena, status, conditions, is_new);
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
    return patch_of(arena, pod, status);
}

std::optional<std::string> nomination_patch(const model::Pod &pod, std::string_view node) {
    if (pod.nominated_node() == node) return std::nullopt;
    model::Arena arena;
    model::ObjectBuilder status(arena);
    add_nomination(status, node);
    return patch_of(arena, pod, status);
}

bool is_gone(const env::ApiAnswer &answer) {
    constexpr int not_found = 404, conflict = 409, invalid = 422;
    const auto says = [&](const char *words) { return answer.body.find(words) != std::string::npos; };
    return answer.http_status == not_found || (answer.http_status == conflict && says("UID in ")) ||
           (answer.http_status == invalid && says("metadata.uid"));
}

env::ApiRequest status_request(const model::Pod &pod, std::string patch) {
    env::ApiRequest request;
    request.verb = env::Verb::Patch;
    request.version = "v1";
    request.resource = "pods";
    request.name_space = pod.name_space();
    request.name = pod.name();
    request.subresource = "status";
    request.content_type = "application/strategic-merge-patch+json";
    request.body = std::move(patch);
    return request;
}

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#include "api/dry_run_pod.h"

#include "decode/document.h"
#include "model/build.h"
#include "sim/patch.h"
#include "sim/priority_classes.h"

#include <algorithm>
#include <array>

namespace berth::api {
namespace {

using model::ArrayBuilder;
using model::ObjectBuilder;
using model::Value;

constexpr std::size_t most_causes = 50;
constexpr int http_bad_request = 400, http_too_large = 413;

std::string name_for(Value metadata) {
    if (auto name = metadata["name"].string(); !name.empty()) return std::string(name);
    return std::string(metadata["generateName"].string()) + "dry-run";
}

bool tolerates(Value tolerations, std::string_view key) {
    for (std::size_t i = 0; i < tolerations.size(); ++i) {
        const auto one = tolerations.at(i);
        const auto effect = one["effect"].string(), of = one["key"].string();
        if ((of.empty() || of == key) && (effect.empty() || effect == "NoExecute")) return true;
    }
    return false;
}

/// As the admission plugin DefaultTolerationSeconds.
ArrayBuilder with_default_tolerations(model::Arena &arena, Value tolerations) {
    constexpr int seconds = 300;
    ArrayBuilder out(arena);
    for (std::size_t i = 0; i < tolerations.size(); ++i) out.add(tolerations.at(i));
    for (const char *key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
        if (tolerates(tolerations, key)) continue;
        ObjectBuilder one(arena);
        one.add("key", key).add("operator", "Exists").add("effect", "NoExecute").add("tolerationSeconds", seconds);
        out.add(one.value());
    }
    return out;
}

/// Of the status only what says which claims are the pod's.
ObjectBuilder without_status(model::Arena &arena, Value status) {
    constexpr std::array kept{"resourceClaimStatuses", "extendedResourceClaimStatus"};
    ObjectBuilder out(arena);
    for (std::size_t i = 0; i < status.size(); ++i)
        if (std::ranges::find(kept, status.key(i)) == kept.end()) out.add(status.key(i), model::make_null());
    return out;
}

DryRunPod admitted(Value pod) {
    DryRunPod out;
    model::Arena arena;
    ObjectBuilder patch(arena), metadata(arena), spec(arena);
    metadata.add("name", std::string_view{name_for(pod["metadata"])});
    for (const char *field : {"uid", "deletionTimestamp", "resourceVersion"}) metadata.add(field, model::make_null());
    if (auto node = pod["spec"]["nodeName"].string(); !node.empty()) {
        spec.add("nodeName", model::make_null());
        out.warnings.push_back("spec.nodeName: \"" + std::string(node) +
                               "\" is left out: a pod that names its node is not scheduled");
    }
    spec.add("tolerations", with_default_tolerations(arena, pod["spec"]["tolerations"]));
    const auto name = pod["spec"]["priorityClassName"].string();
    if (pod["spec"]["priority"].is_null() && !name.empty()) {
        auto priority = sim::PriorityClasses().of(name);
        if (priority) spec.add("priority", *priority);
        else
            out.warnings.push_back("spec.priorityClassName: the scheduler does not know the priority of class \"" +
                                   std::string(name) + "\" and takes 0: say it in spec.priority");
    }
    patch.add("metadata", metadata).add("spec", spec);
    if (pod["status"].is_object()) patch.add("status", without_status(arena, pod["status"]));
    const auto changes = patch.value();
    out.tree = sim::merged(pod, Value{&changes});
    return out;
}

std::vector<kube::Cause> missing_fields(Value pod, std::size_t &left_out) {
    std::vector<kube::Cause> out;
    const auto containers = pod["spec"]["containers"];
    auto required = [&](std::string field) {
        if (out.size() < most_causes) out.push_back({"FieldValueRequired", "Required value", std::move(field)});
        else ++left_out;
    };
    if (containers.size() == 0) required("spec.containers");
    for (std::size_t i = 0; containers.is_array() && i < containers.size(); ++i)
        for (const char *field : {"name", "image"})
            if (containers.at(i)[field].is_null()) required("spec.containers[" + std::to_string(i) + "]." + field);
    return out;
}

}  // namespace

model::PodPtr DryRunPod::pod(std::string_view uid) const {
    const model::FaultSink judged_before = [](Value, const std::string &, const std::string &) {};
    if (uid.empty()) return model::read_pod(tree, judged_before);
    model::Arena arena;
    ObjectBuilder patch(arena), metadata(arena);
    const auto changes = patch.add("metadata", metadata.add("uid", uid)).value();
    return model::read_pod(sim::merged(tree->value(), Value{&changes}), judged_before);
}

std::variant<DryRunPod, kube::ServedAnswer> read_dry_run_pod(std::string_view body) {
    constexpr std::size_t largest = 256 << 10;
    if (body.size() > largest)
        return kube::status_answer(http_too_large, "RequestEntityTooLarge",
                                   "Request entity too large: limit is " + std::to_string(largest));
    auto bad = [](const std::string &what) { return kube::status_answer(http_bad_request, "BadRequest", what); };
    // Never YAML, whose reader is slower.
    if (const auto at = body.find_first_not_of(" \t\r\n"); at == body.npos || body[at] != '{')
        return bad("expected a Pod as JSON, which begins with {");
    auto document = decode::read_document(body, "pod.json");
    if (!document) return bad("expected a Pod as JSON: " + document.error().text);
    const auto root = document->value();
    if (root["kind"].string() != "Pod" || root["apiVersion"].string() != "v1")
        return bad("expected apiVersion v1 and kind Pod, got \"" + std::string(root["apiVersion"].string()) +
                   "\" and \"" + std::string(root["kind"].string()) + "\"");
    std::vector<kube::Cause> causes;
    std::size_t left_out = 0;
    auto fault = [&](Value, const std::string &path, const std::string &text) {
        if (causes.size() < most_causes) causes.push_back({"FieldValueInvalid", text, path});
        else ++left_out;
    };
    for (const char *field : {"metadata", "spec", "status"})
        if (!root[field].is_null() && !root[field].is_object())
            causes.push_back({"FieldValueInvalid", "expected an object", field});
    if (!causes.empty()) return kube::invalid_answer("Pod", "dry-run", causes);
    auto out = admitted(root);
    // The fields as they were sent, the name apart.
    if (!model::read_pod(out.tree, fault) && causes.empty()) return bad("this is no Pod");
    if (causes.empty()) causes = missing_fields(root, left_out);
    if (left_out > 0)
        causes.push_back(
            {"FieldValueInvalid", "and " + std::to_string(left_out) + " more that are not listed", "spec"});
    if (!causes.empty()) return kube::invalid_answer("Pod", name_for(root["metadata"]), causes);
    return out;
}

DryRunPod one_more(const model::Pod &pod) {
    auto out = admitted(pod.tree->value());
    out.warnings = {"the pod has a node: this is what would come of one more pod like it"};
    return out;
}

}  // namespace berth::api

// SPDX-License-Identifier: Apache-2.0
#include "sim/claim_controller.h"

#include "model/build.h"
#include "sim/patch.h"

#include <algorithm>

namespace berth::sim {
namespace {

using model::Value;

const model::Kind claim_kind = model::kind_of("resource.k8s.io", "v1", "resourceclaims");
constexpr std::string_view finalizer = "resource.kubernetes.io/delete-protection";

std::string key_of(Value object) {
    return Store::key(object["metadata"]["namespace"].string(), object["metadata"]["name"].string());
}

/// Of the pod that a claim was made for, or "".
std::string_view owner_uid(Value claim) {
    const auto owners = claim["metadata"]["ownerReferences"];
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (const auto one = owners.at(i);
            one["controller"].is_true() && one["apiVersion"].string() == "v1" && one["kind"].string() == "Pod")
            return one["uid"].string();
    return {};
}

/// Calls fn(uid) for each pod that the claim is of.
template <class Fn>
void each_pod(Value claim, Fn fn) {
    const auto users = claim["status"]["reservedFor"];
    for (std::size_t i = 0; i < users.size(); ++i)
        if (users.at(i)["resource"].string() == "pods") fn(std::string(users.at(i)["uid"].string()));
    if (const auto owner = owner_uid(claim); !owner.empty()) fn(std::string(owner));
}

bool ended(Value pod) {
    const auto phase = pod["status"]["phase"].string();
    return phase == "Succeeded" || phase == "Failed" ||
           (pod["metadata"]["deletionTimestamp"] && pod["spec"]["nodeName"].string().empty());
}

}  // namespace

void ClaimController::start() {
    if (!store_.serves(claim_kind)) return;
    store_.on_change([this](const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after) {
        changed(kind, before, after);
    });
    for (const auto &claim : store_.list(claim_kind)) file({}, claim->value());
    std::vector<model::PodPtr> pods;
    for (const auto &[key, pod] : store_.pods())
        if (ended(pod->tree->value())) pods.push_back(pod);
    std::ranges::sort(pods, {}, [](const model::PodPtr &pod) { return pod->key(); });
    for (const auto &pod : pods) pod_ended(pod->tree->value());
}

void ClaimController::changed(const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after) {
    if (kind == claim_kind) file(before ? before->value() : Value{}, after ? after->value() : Value{});
    else if (kind == pod_kind && before && (!after || ended(after->value()))) pod_ended(before->value());
}

void ClaimController::file(Value before, Value after) {
    if (before)
        each_pod(before, [&](const std::string &uid) {
            auto at = claims_of_.find(uid);
            if (at != claims_of_.end() && at->second.erase(key_of(before)) > 0 && at->second.empty())
                claims_of_.erase(at);
        });
    if (after) each_pod(after, [&](const std::string &uid) { claims_of_[uid].insert(key_of(after)); });
}

void ClaimController::pod_ended(Value pod) {
    const auto uid = std::string(pod["metadata"]["uid"].string());
    const auto at = claims_of_.find(uid);
    if (at == claims_of_.end()) return;
    for (const auto &key : std::set<std::string>(at->second)) release(key, uid);
}

void ClaimController::release(const std::string &claim_key, std::string_view pod_uid) {
    const auto claim = store_.find(claim_kind, claim_key);
    if (!claim) return;
    const auto c = claim->value();
    model::Arena arena;
    model::ArrayBuilder users(arena), finalizers(arena);
    const auto reserved = c["status"]["reservedFor"], kept = c["metadata"]["finalizers"];
    for (std::size_t i = 0; i < reserved.size(); ++i)
        if (reserved.at(i)["resource"].string() != "pods" || reserved.at(i)["uid"].string() != pod_uid)
            users.add(reserved.at(i));
    const bool used = !users.empty(), owned = owner_uid(c) == pod_uid;
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (used || kept.at(i).string() != finalizer) finalizers.add(kept.at(i));
    model::ObjectBuilder metadata(arena), status(arena), patch(arena);
    status.add("reservedFor", used ? users.value() : model::make_null());
    if (!used) {
        status.add("allocation", model::make_null()).add("devices", model::make_null());
        metadata.add("finalizers", finalizers.empty() ? model::make_null() : finalizers.value());
        patch.add("metadata", metadata);
    }
    const auto change = patch.add("status", status).value();
    const auto after = merged(c, Value{&change});
    // First the devices, which wakes pods, then the claim, which does not.
    if (!model::equal(c, after->value())) (void)store_.put(claim_kind, *after);
    if (!used && finalizers.empty() && (owned || c["metadata"]["deletionTimestamp"]))
        store_.remove(claim_kind, claim_key);
}

}  // namespace berth::sim

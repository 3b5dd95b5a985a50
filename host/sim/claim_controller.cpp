// SPDX-License-Identifier: Apache-2.0
#include "sim/claim_controller.h"

#include "model/build.h"
#include "sim/patch.h"
#include "sim/requests.h"

namespace berth::sim {
namespace {

using model::Value;

const model::Kind claim_kind = model::kind_of("resource.k8s.io", "v1", "resourceclaims");
constexpr std::string_view finalizer = "resource.kubernetes.io/delete-protection";

std::string key_of(Value object) {
    return Store::key(object["metadata"]["namespace"].string(), object["metadata"]["name"].string());
}
/// A pod of a file may say no namespace.
std::string key_of_pod(Value pod) {
    const auto name_space = pod["metadata"]["namespace"].string();
    return Store::key(name_space.empty() ? "default" : name_space, pod["metadata"]["name"].string());
}
/// The pod of that name beside the claim.
std::string pod_key(Value claim, std::string_view name) {
    return Store::key(claim["metadata"]["namespace"].string(), name);
}

/// The pod that a claim was made for; absent if it was made for none.
Value owning_pod(Value claim) {
    const auto owners = claim["metadata"]["ownerReferences"];
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (const auto one = owners.at(i);
            one["controller"].is_true() && one["apiVersion"].string() == "v1" && one["kind"].string() == "Pod")
            return one;
    return {};
}

bool is_pod(Value user) { return user["resource"].string() == "pods" && user["apiGroup"].string().empty(); }

/// Calls fn(pod) for each pod that uses or owns the claim; the pod has a name and a uid.
template <class Fn>
void each_pod(Value claim, Fn fn) {
    const auto users = claim["status"]["reservedFor"];
    for (std::size_t i = 0; i < users.size(); ++i)
        if (is_pod(users.at(i))) fn(users.at(i));
    if (const auto owner = owning_pod(claim)) fn(owner);
}

bool ended(Value pod) {
    const auto phase = pod["status"]["phase"].string();
    return phase == "Succeeded" || phase == "Failed" ||
           (!pod["metadata"]["deletionTimestamp"].is_null() && pod["spec"]["nodeName"].string().empty());
}

}  // namespace

void ClaimController::start(const std::vector<model::PodPtr> &pods) {
    if (!store_.serves(claim_kind)) return;
    store_.on_change([this](const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after) {
        changed(kind, before, after);
    });
    for (const auto &claim : store_.list(claim_kind)) {
        file({}, claim->value());
        each_pod(claim->value(), [&](Value user) {
            const auto pod = store_.pod(pod_key(claim->value(), user["name"].string()));
            if (!pod || pod->uid() != user["uid"].string()) strangers_.emplace(user["uid"].string());
        });
    }
    for (const auto &pod : pods)
        if (ended(pod->tree->value())) sync_claims_of(pod->key());
}

void ClaimController::changed(const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after) {
    if (kind == claim_kind) {
        file(before ? before->value() : Value{}, after ? after->value() : Value{});
        if (after) sync_claim(key_of(after->value()));
    } else if (kind == pod_kind) {
        if (!after || ended(after->value())) sync_claims_of(key_of_pod((after ? after : before)->value()));
    }
}

/// Keeps the claims filed under their pods.
void ClaimController::file(Value before, Value after) {
    if (before)
        each_pod(before, [&](Value pod) {
            auto at = claims_of_.find(pod_key(before, pod["name"].string()));
            if (at != claims_of_.end() && at->second.erase(key_of(before)) > 0 && at->second.empty())
                claims_of_.erase(at);
        });
    if (after)
        each_pod(after, [&](Value pod) { claims_of_[pod_key(after, pod["name"].string())].insert(key_of(after)); });
}

bool ClaimController::needs_claims(const std::string &pod_key, std::string_view uid) const {
    const auto pod = store_.pod(pod_key);
    return pod && pod->uid() == uid ? !ended(pod->tree->value()) : strangers_.contains(uid);
}

void ClaimController::sync_claims_of(const std::string &pod_key) {
    const auto at = claims_of_.find(pod_key);
    if (at == claims_of_.end()) return;
    for (const auto &key : std::set<std::string>(at->second)) sync_claim(key);
}

void ClaimController::sync_claim(const std::string &key) {
    const auto claim = store_.find(claim_kind, key);
    if (!claim) return;
    const auto c = claim->value();
    const auto needed_by = [&](Value pod) {
        return needs_claims(pod_key(c, pod["name"].string()), pod["uid"].string());
    };
    model::Arena arena;
    model::ArrayBuilder users(arena), finalizers(arena);
    const auto reserved = c["status"]["reservedFor"], kept = c["metadata"]["finalizers"];
    bool fewer = false, is_kept = false;
    for (std::size_t i = 0; i < reserved.size(); ++i)
        if (is_pod(reserved.at(i)) && !needed_by(reserved.at(i))) fewer = true;
        else users.add(reserved.at(i));
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (kept.at(i).string() == finalizer) is_kept = true;
        else finalizers.add(kept.at(i));
    const bool unused = users.empty(), deleted = !c["metadata"]["deletionTimestamp"].is_null();
    if (fewer || (unused && deleted && is_kept)) {
        model::ObjectBuilder metadata(arena), status(arena), patch(arena);
        status.add("reservedFor", unused ? model::make_null() : users.value());
        if (unused) {
            status.add("allocation", model::make_null()).add("devices", model::make_null());
            metadata.add("finalizers", finalizers.empty() ? model::make_null() : finalizers.value());
            patch.add("metadata", metadata);
        }
        const auto change = patch.add("status", status).value();
        // First the devices, which wakes pods, then the claim, which does not.
        (void)store_.put(claim_kind, *merged(c, Value{&change}));  // with less in it than what was read
    }
    if (!unused) return;
    const auto owner = owning_pod(c);
    if ((!owner || needed_by(owner)) && (!deleted || !finalizers.empty())) return;
    env::ApiRequest request;
    request.verb = env::Verb::Delete;
    request.name_space = c["metadata"]["namespace"].string();
    request.name = c["metadata"]["name"].string();
    (void)serve_object(store_, claim_kind, request);
}

}  // namespace berth::sim

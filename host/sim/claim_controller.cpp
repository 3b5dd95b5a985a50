// SPDX-License-Identifier: Apache-2.0
#include "sim/claim_controller.h"

#include "model/build.h"
#include "model/name.h"
#include "sim/patch.h"
#include "sim/requests.h"

#include <algorithm>

namespace berth::sim {
namespace {

using model::Value;

const model::Kind claim_kind = model::kind_of("resource.k8s.io", "v1", "resourceclaims"),
                  template_kind = model::kind_of("resource.k8s.io", "v1", "resourceclaimtemplates");
constexpr std::string_view finalizer = "resource.kubernetes.io/delete-protection",
                           entry_annotation = "resource.kubernetes.io/pod-claim-name";

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

/// Calls fn(key) for each template that the pod names.
template <class Fn>
void each_template(Value pod, Fn fn) {
    const auto entries = pod["spec"]["resourceClaims"], name_space = pod["metadata"]["namespace"];
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (const auto name = entries.at(i)["resourceClaimTemplateName"].string(); !name.empty())
            fn(Store::key(name_space.string().empty() ? "default" : name_space.string(), name));
}

/// metadata.generateName of a claim: the API server adds five characters, and 63 are the most.
std::string base_name(std::string_view pod, std::string_view entry) {
    constexpr std::size_t longest = 57;
    const auto length = pod.size() + entry.size() + 2;
    const auto part = [&](std::string_view name) {
        return std::string(length > longest ? name.substr(0, name.size() * longest / length) : name);
    };
    return part(pod) + "-" + part(entry) + (length > longest ? "" : "-");
}

}  // namespace

void ClaimController::add_templates(std::vector<model::Kind> &kinds) {
    if (std::ranges::count(kinds, claim_kind) > 0 && std::ranges::count(kinds, template_kind) == 0)
        kinds.push_back(template_kind);
}

void ClaimController::start(const Input &input) {
    if (!store_.serves(claim_kind)) return;
    store_.on_change([this](const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after) {
        changed(kind, before, after);
    });
    finished_ = input.finished_pods;
    for (const auto &claim : store_.list(claim_kind)) {
        file({}, claim->value());
        each_pod(claim->value(), [&](Value user) {
            const auto uid = user["uid"].string();
            if (!is_known(pod_key(claim->value(), user["name"].string()), uid)) strangers_.emplace(uid);
        });
    }
    for (const auto &pod : input.pods) {
        each_template(pod->tree->value(), [&](const std::string &key) { pods_of_[key].insert(pod->key()); });
        make_claims(pod->key());
    }
    for (const auto &claim : store_.list(claim_kind)) sync_claim(key_of(claim->value()));
}

void ClaimController::changed(const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after) {
    if (kind == claim_kind) {
        file(before ? before->value() : Value{}, after ? after->value() : Value{});
        if (after) return sync_claim(key_of(after->value()));
        if (const auto owner = owning_pod(before->value()))
            make_claims(pod_key(before->value(), owner["name"].string()));
    } else if (kind == template_kind) {
        const auto at = after ? pods_of_.find(key_of(after->value())) : pods_of_.end();
        if (at == pods_of_.end()) return;
        for (const auto &pod : std::set<std::string>(at->second)) make_claims(pod);
    } else if (kind == pod_kind) {
        const auto pod = (after ? after : before)->value();
        const auto key = key_of_pod(pod);
        if (!before) each_template(pod, [&](const std::string &of) { pods_of_[of].insert(key); });
        else if (!after)
            each_template(pod, [&](const std::string &of) {
                const auto at = pods_of_.find(of);
                if (at != pods_of_.end() && at->second.erase(key) > 0 && at->second.empty()) pods_of_.erase(at);
            });
        if (!after || ended(pod)) sync_claims_of(key);
        if (after) make_claims(key);
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

bool ClaimController::is_known(const std::string &pod_key, std::string_view uid) const {
    if (const auto pod = store_.pod(pod_key)) return pod->uid() == uid;
    const auto at = finished_.find(pod_key);
    return at != finished_.end() && at->second == uid;
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

std::map<std::string, std::string> ClaimController::made_for(const model::Pod &pod) const {
    std::map<std::string, std::string> made;
    const auto at = claims_of_.find(pod.key());
    if (at == claims_of_.end()) return made;
    for (const auto &key : at->second) {
        const auto claim = store_.find(claim_kind, key);
        if (!claim || owning_pod(claim->value())["uid"].string() != pod.uid()) continue;
        const auto metadata = claim->value()["metadata"];
        if (const auto entry = metadata["annotations"][entry_annotation]; entry.is_string())
            made.emplace(entry.string(), metadata["name"].string());
    }
    return made;
}

void ClaimController::make_claims(const std::string &pod_key) {
    const auto pod = store_.pod(pod_key);
    if (!pod || pod->terminating() || pod->finished()) return;
    const auto p = pod->tree->value();
    const auto entries = p["spec"]["resourceClaims"], known = p["status"]["resourceClaimStatuses"];
    if (entries.size() == 0) return;
    std::map<std::string_view, Value> status_of;
    for (std::size_t i = 0; i < known.size(); ++i) status_of.emplace(known.at(i)["name"].string(), known.at(i));
    auto made = made_for(*pod);
    std::map<std::string, std::string> missing;  // from the status, of which all is written at once
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto of = entries.at(i)["resourceClaimTemplateName"].string();
        const std::string entry(entries.at(i)["name"].string());
        if (of.empty()) continue;
        if (const auto status = status_of.find(entry); status != status_of.end()) {
            const auto name = status->second["resourceClaimName"];
            // None is needed, or it is there: if it is another pod's, the pod waits until that goes.
            if (name.is_null() || store_.find(claim_kind, Store::key(pod->name_space(), name.string()))) continue;
        }
        auto &name = made[entry];
        if (name.empty()) {
            const auto claim_template = store_.find(template_kind, Store::key(pod->name_space(), of));
            if (claim_template) name = make_claim(*pod, entry, claim_template->value());
        }
        if (name.empty()) return;
        missing.emplace(entry, name);
    }
    if (missing.empty()) return;
    model::Arena arena;
    model::ArrayBuilder statuses(arena);
    for (std::size_t i = 0; i < known.size(); ++i)
        if (!missing.contains(std::string(known.at(i)["name"].string()))) statuses.add(known.at(i));
    for (const auto &[entry, name] : missing)
        statuses.add(model::ObjectBuilder(arena).add("name", entry).add("resourceClaimName", name).value());
    model::ObjectBuilder status(arena), patch(arena);
    const auto change = patch.add("status", status.add("resourceClaimStatuses", statuses)).value();
    (void)store_.put(pod_kind, *merged(p, Value{&change}));
}

std::string ClaimController::make_claim(const model::Pod &pod, std::string_view entry, Value claim_template) {
    const auto given = claim_template["spec"];
    model::Arena arena;
    model::ObjectBuilder out(arena), metadata(arena), annotations(arena), owner(arena);
    const auto own = given["metadata"]["annotations"];
    for (std::size_t i = 0; i < own.size(); ++i)
        if (own.key(i) != entry_annotation) annotations.add(own.key(i), own.member(i));
    metadata.add("annotations", annotations.add(entry_annotation, entry));
    if (const auto labels = given["metadata"]["labels"]; !labels.is_null()) metadata.add("labels", labels);
    owner.add("apiVersion", "v1").add("kind", "Pod").add("name", pod.name()).add("uid", pod.uid());
    metadata.add("ownerReferences", model::ArrayBuilder(arena).add(owner.add("controller", true).value()));
    out.add("apiVersion", claim_kind.api_version()).add("kind", claim_kind.name).add("metadata", metadata);
    const auto claim = out.add("spec", given["spec"]).value();
    const auto name = generated_name(store_, claim_kind, pod.name_space(), base_name(pod.name(), entry));
    if (!model::dns_subdomain(name)) return {};  // the API server would refuse the pod
    const auto stored = store_.put(claim_kind, *created(store_, Value{&claim}, pod.name_space(), name));
    if (!stored) return {};  // and this template
    file({}, (*stored)->value());
    return name;
}

}  // namespace berth::sim

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
/// The pod of that name beside the claim.
std::string pod_key(Value claim, std::string_view name) {
    return Store::key(claim["metadata"]["namespace"].string(), name);
}

bool is_pod_reference(Value owner) { return owner["apiVersion"].string() == "v1" && owner["kind"].string() == "Pod"; }

/// The pod that a claim was made for; absent if it was made for none.
Value owning_pod(Value claim) {
    const auto owners = claim["metadata"]["ownerReferences"];
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (owners.at(i)["controller"].is_true() && is_pod_reference(owners.at(i))) return owners.at(i);
    return {};
}

/// The pod that is the only owner of the claim; absent if there is none.
Value only_owner(Value claim) {
    const auto owners = claim["metadata"]["ownerReferences"];
    return owners.size() == 1 && is_pod_reference(owners.at(0)) ? owners.at(0) : Value{};
}

bool is_owned_by(Value claim, const model::Pod &pod) { return owning_pod(claim)["uid"].string() == pod.uid(); }

bool is_pod(Value user) { return user["resource"].string() == "pods" && user["apiGroup"].string().empty(); }

/// Calls fn(pod) for each pod that uses or owns the claim; the pod has a name and a uid.
template <class Fn>
void each_pod(Value claim, Fn fn) {
    const auto users = claim["status"]["reservedFor"];
    for (std::size_t i = 0; i < users.size(); ++i)
        if (is_pod(users.at(i))) fn(users.at(i));
    if (const auto owner = owning_pod(claim)) fn(owner);
    else if (const auto other = only_owner(claim)) fn(other);
}

bool ended(Value pod) {
    const auto phase = pod["status"]["phase"].string();
    return phase == "Succeeded" || phase == "Failed" ||
           (!pod["metadata"]["deletionTimestamp"].is_null() && pod["spec"]["nodeName"].string().empty());
}

std::string_view namespace_of(Value pod) {
    const auto name_space = pod["metadata"]["namespace"].string();
    return name_space.empty() ? "default" : name_space;  // a pod of a file may say none
}

/// Calls fn(key) for each template that the pod names.
template <class Fn>
void each_template(Value pod, Fn fn) {
    const auto entries = pod["spec"]["resourceClaims"];
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (const auto name = entries.at(i)["resourceClaimTemplateName"].string(); !name.empty())
            fn(Store::key(namespace_of(pod), name));
}

/// Calls fn(key) for each claim that the pod's status names.
template <class Fn>
void each_claim(Value pod, Fn fn) {
    const auto entries = pod["status"]["resourceClaimStatuses"];
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (const auto name = entries.at(i)["resourceClaimName"].string(); !name.empty())
            fn(Store::key(namespace_of(pod), name));
}

std::string key_of_pod(Value pod) { return Store::key(namespace_of(pod), pod["metadata"]["name"].string()); }

using Index = std::map<std::string, std::set<std::string>>;

void erase(Index &index, const std::string &key, const std::string &one) {
    const auto at = index.find(key);
    if (at != index.end() && at->second.erase(one) > 0 && at->second.empty()) index.erase(at);
}
std::set<std::string> at_key(const Index &index, const std::string &key) {
    const auto at = index.find(key);
    return at == index.end() ? std::set<std::string>{} : at->second;
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
        file_claim({}, claim->value());
        each_pod(claim->value(), [&](Value user) {
            const auto uid = user["uid"].string();
            if (fate(pod_key(claim->value(), user["name"].string()), uid) == Fate::Gone) strangers_.emplace(uid);
        });
    }
    for (const auto &pod : input.pods) {
        file_pod({}, pod->tree->value());
        make_claims(pod->key());
    }
    for (const auto &claim : store_.list(claim_kind)) sync_claim(key_of(claim->value()));
}

void ClaimController::changed(const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after) {
    const auto was = before ? before->value() : Value{}, is = after ? after->value() : Value{};
    if (kind == claim_kind) {
        file_claim(was, is);
        if (is) return sync_claim(key_of(is));
        for (const auto &pod : at_key(pods_of_claim_, key_of(was))) make_claims(pod);
    } else if (kind == template_kind && is) {
        for (const auto &pod : at_key(pods_of_template_, key_of(is))) make_claims(pod);
    } else if (kind == pod_kind) {
        file_pod(was, is);
        const auto key = key_of_pod(is ? is : was);
        if (!was) finished_.erase(key);  // the new pod has taken its place
        if (!was || !is || ended(is)) sync_claims_of(key);
        if (is) make_claims(key);
    }
}

/// Keeps the claims filed under their pods.
void ClaimController::file_claim(Value before, Value after) {
    if (before)
        each_pod(before, [&](Value pod) { erase(claims_of_, pod_key(before, pod["name"].string()), key_of(before)); });
    if (after)
        each_pod(after, [&](Value pod) { claims_of_[pod_key(after, pod["name"].string())].insert(key_of(after)); });
}

/// Keeps the pods filed under their templates and claims.
void ClaimController::file_pod(Value before, Value after) {
    if (before) {
        const auto pod = key_of_pod(before);
        each_template(before, [&](const std::string &key) { erase(pods_of_template_, key, pod); });
        each_claim(before, [&](const std::string &key) { erase(pods_of_claim_, key, pod); });
    }
    if (after) {
        const auto pod = key_of_pod(after);
        each_template(after, [&](const std::string &key) { pods_of_template_[key].insert(pod); });
        each_claim(after, [&](const std::string &key) { pods_of_claim_[key].insert(pod); });
    }
}

ClaimController::Fate ClaimController::fate(const std::string &pod_key, std::string_view uid) const {
    const auto pod = store_.pod(pod_key);
    if (pod && pod->uid() == uid) return ended(pod->tree->value()) ? Fate::Ended : Fate::MayRun;
    if (strangers_.contains(uid)) return Fate::MayRun;
    const auto finished = finished_.find(pod_key);
    return finished != finished_.end() && finished->second == uid ? Fate::Ended : Fate::Gone;
}

void ClaimController::sync_claims_of(const std::string &pod_key) {
    for (const auto &key : at_key(claims_of_, pod_key)) sync_claim(key);
}

void ClaimController::sync_claim(const std::string &key) {
    const auto claim = store_.find(claim_kind, key);
    if (!claim) return;
    const auto c = claim->value();
    const auto fate_of = [&](Value pod) { return fate(pod_key(c, pod["name"].string()), pod["uid"].string()); };
    model::Arena arena;
    model::ArrayBuilder users(arena), finalizers(arena);
    const auto reserved = c["status"]["reservedFor"], kept = c["metadata"]["finalizers"];
    bool fewer = false, is_kept = false;
    for (std::size_t i = 0; i < reserved.size(); ++i)
        if (is_pod(reserved.at(i)) && fate_of(reserved.at(i)) != Fate::MayRun) fewer = true;
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
    const auto owner = owning_pod(c), only = only_owner(c);
    const bool of_ended = owner && fate_of(owner) == Fate::Ended, orphaned = only && fate_of(only) == Fate::Gone;
    const bool goes = deleted ? unused && finalizers.empty() : orphaned || (unused && of_ended);
    if (!goes) return;
    env::ApiRequest request;
    request.verb = env::Verb::Delete;
    request.name_space = c["metadata"]["namespace"].string();
    request.name = c["metadata"]["name"].string();
    (void)serve_object(store_, claim_kind, request);
}

std::map<std::string, std::string> ClaimController::made_for(const model::Pod &pod) const {
    std::map<std::string, std::string> made;
    for (const auto &key : at_key(claims_of_, pod.key())) {
        const auto claim = store_.find(claim_kind, key);
        if (!claim || !is_owned_by(claim->value(), pod)) continue;
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
    std::vector<std::pair<std::string, std::string_view>> lacking;  // entries and their templates
    bool none = false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto of = entries.at(i)["resourceClaimTemplateName"].string();
        if (of.empty()) continue;
        const auto entry = entries.at(i)["name"].string();
        if (const auto status = status_of.find(entry); status != status_of.end()) {
            const auto name = status->second["resourceClaimName"];
            if (name.is_null()) continue;  // none is needed
            const auto claim = store_.find(claim_kind, Store::key(pod->name_space(), name.string()));
            if (claim && is_owned_by(claim->value(), *pod)) continue;
            none = none || !claim;
        } else {
            none = true;
        }
        lacking.emplace_back(entry, of);
    }
    // As upstream: another pod's claim is replaced, but only along with one that is not there.
    if (!none) return;
    auto made = made_for(*pod);
    std::map<std::string, std::string> missing;  // from the status, of which all is written at once
    for (const auto &[entry, of] : lacking) {
        auto &name = made[entry];
        if (name.empty()) {
            const auto claim_template = store_.find(template_kind, Store::key(pod->name_space(), of));
            if (claim_template) name = make_claim(*pod, entry, claim_template->value());
        }
        if (name.empty()) return;
        missing.emplace(entry, name);
    }
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
    file_claim({}, (*stored)->value());
    return name;
}

}  // namespace berth::sim

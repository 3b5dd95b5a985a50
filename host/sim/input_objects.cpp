// SPDX-License-Identifier: Apache-2.0
#include "sim/input_objects.h"

#include "model/build.h"
#include "sim/patch.h"

#include <algorithm>
#include <set>

namespace berth::sim {
namespace {

std::string_view group_of(std::string_view api_version) {
    auto slash = api_version.find('/');
    return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

bool of_version(const model::Kind &kind, std::string_view api_version) { return kind.api_version() == api_version; }

/// A Namespace of that name with the label that every one of them has; `before` may be absent.
model::AnyPtr labelled_namespace(const model::Kind &kind, std::string_view name, model::Value before) {
    model::Arena arena;
    model::ObjectBuilder labels(arena), metadata(arena), patch(arena);
    labels.add("kubernetes.io/metadata.name", name);
    patch.add("apiVersion", "v1").add("kind", "Namespace");
    patch.add("metadata", metadata.add("name", name).add("labels", labels));
    auto root = patch.value();
    return model::read_object(merged(before, model::Value{&root}), kind, {});
}

}  // namespace

const model::Kind *InputKinds::built_in(model::Value object) const {
    auto version = object["apiVersion"].string(), name = object["kind"].string();
    auto at = std::ranges::find_if(
        wanted_, [&](const model::Kind &k) { return !k.custom && k.name == name && of_version(k, version); });
    return at == wanted_.end() ? nullptr : &*at;
}

bool InputKinds::may_be_custom(model::Value object) const {
    auto version = object["apiVersion"].string(), name = object["kind"].string();
    // "v1/secrets" is of no kind that is known here, and stands beside those that are.
    if (std::ranges::any_of(model::built_in_kinds(), [&](const model::BuiltInKind &kind) {
            return kind.name == name && kind.group == group_of(version);
        }))
        return false;
    return std::ranges::any_of(wanted_, [&](const model::Kind &k) { return k.custom && of_version(k, version); });
}

bool InputKinds::define(model::Value object) {
    if (object["kind"].string() != "CustomResourceDefinition" ||
        group_of(object["apiVersion"].string()) != "apiextensions.k8s.io")
        return false;
    auto spec = object["spec"], names = spec["names"];
    model::Kind kind;
    kind.group = spec["group"].string();
    kind.resource = names["plural"].string();
    kind.name = names["kind"].string();
    kind.scope = spec["scope"].string() == "Cluster" ? model::Scope::Cluster : model::Scope::Namespaced;
    bool wanted = std::ranges::any_of(
        wanted_, [&](const model::Kind &k) { return k.group == kind.group && k.resource == kind.resource; });
    defined_[{kind.group, kind.name}] = kind;
    return wanted;
}

model::Kind InputKinds::defined(model::Kind kind) const {
    auto at = std::ranges::find_if(defined_, [&](const auto &definition) {
        return definition.second.group == kind.group && definition.second.resource == kind.resource;
    });
    if (at == defined_.end() || !kind.custom) return kind;
    kind.name = at->second.name;
    kind.scope = at->second.scope;
    return kind;
}

std::optional<model::Kind> InputKinds::custom(model::Value object) const {
    auto version = object["apiVersion"].string(), name = object["kind"].string();
    for (const auto &wanted : wanted_) {
        if (!wanted.custom || !of_version(wanted, version)) continue;
        auto kind = defined(wanted);
        if (!model::is_named(kind, name)) continue;
        kind.name = name;
        return kind;
    }
    return std::nullopt;
}

model::AnyPtr read_valid_object(const model::TreePtr &tree, const model::Kind &kind, const model::FaultSink &fault) {
    static const auto claim_kind = model::kind_of("resource.k8s.io", "v1", "resourceclaims");
    constexpr std::size_t users_max = 256;  // ResourceClaimReservedForMaxSize
    auto object = model::read_object(tree, kind, fault);
    if (!object || kind != claim_kind) return object;
    const auto users = tree->value()["status"]["reservedFor"];
    if (users.size() <= users_max) return object;
    fault(users, "status.reservedFor",
          "Too many: " + std::to_string(users.size()) + ": must have at most " + std::to_string(users_max) + " items");
    return nullptr;
}

void complete_namespaces(Input &input) {
    const auto kind = model::kind_of("", "v1", "namespaces");
    constexpr std::string_view label = "kubernetes.io/metadata.name";
    std::set<std::string, std::less<>> missing{"default", "kube-node-lease", "kube-public", "kube-system"};
    for (const auto &pod : input.pods) missing.emplace(pod->name_space());
    for (const auto &[of, object] : input.objects)
        if (!object->name_space.empty()) missing.emplace(object->name_space);
    for (auto &[of, object] : input.objects) {
        if (of != kind) continue;
        missing.erase(std::string(object->name));
        bool has_label =
            std::ranges::any_of(object->labels, [&](const auto &l) { return model::view(l.key) == label; });
        if (!has_label) object = labelled_namespace(kind, object->name, object->tree->value());
    }
    for (const auto &name : missing) input.objects.push_back({kind, labelled_namespace(kind, name, {})});
    input.added_namespaces = std::move(missing);
}

}  // namespace berth::sim

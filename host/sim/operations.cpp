// SPDX-License-Identifier: Apache-2.0
#include "sim/operations.h"

#include "model/build.h"
#include "sim/patch.h"
#include "sim/requests.h"

#include <algorithm>
#include <array>

namespace berth::sim {
namespace {

/// What the API server keeps of `before` when somebody writes `after` in its place.
model::TreePtr kept(model::Value before, model::Value after, std::string_view server_field) {
    model::Arena arena;
    model::ObjectBuilder root(arena), metadata(arena);
    for (auto name : {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"})
        if (auto v = before["metadata"][name]) metadata.add(name, v);
    root.add("metadata", metadata);
    if (!server_field.empty() && before["spec"][server_field])
        root.add("spec", model::ObjectBuilder(arena).add(server_field, before["spec"][server_field]));
    if (before["status"] && !after["status"]) root.add("status", before["status"]);
    auto patch = root.value();
    return merged(after, model::Value{&patch});
}

/// Refuses a change of a pod's spec that an API server would refuse.
model::Result<void> allowed_change(model::Value before, model::Value after) {
    constexpr std::array<std::string_view, 4> free{"schedulingGates", "tolerations", "activeDeadlineSeconds",
                                                   "terminationGracePeriodSeconds"};
    auto was = before["spec"], is = after["spec"];
    const bool gated = was["schedulingGates"].size() > 0;
    auto may = [&](std::string_view name) {
        // A gated pod's node selector and affinity may become narrower; by how much is not looked into.
        return std::ranges::count(free, name) > 0 || (gated && (name == "nodeSelector" || name == "affinity"));
    };
    std::string_view wrong;
    for (std::size_t i = 0; i < is.size(); ++i)
        if (!may(is.key(i)) && !model::equal(is.member(i), was[is.key(i)])) wrong = is.key(i);
    for (std::size_t i = 0; i < was.size(); ++i)
        if (!may(was.key(i)) && !is[was.key(i)]) wrong = was.key(i);
    if (wrong.empty()) return {};
    return model::Error{"spec." + std::string(wrong) +
                        ": cannot be changed: of a pod that exists only scheduling gates can be taken away, "
                        "tolerations added and its metadata changed"};
}

model::Error missing(std::string_view kind, std::string_view key) {
    return model::Error{"there is no " + std::string(kind) + " " + std::string(key)};
}

model::Result<void> done(const model::Result<model::TreePtr> &put) {
    if (!put) return put.error();
    return {};
}

}  // namespace

model::Result<void> Operations::apply(const model::Node &node) {
    auto before = store_.node(node.name);
    return store_.put_node(before ? *kept(before->tree->value(), node.tree->value(), "") : *node.tree);
}

model::Result<void> Operations::apply(const model::Pod &pod) {
    if (auto before = store_.pod(pod.key()))
        return change(*before, *kept(before->tree->value(), pod.tree->value(), "nodeName"));
    // A pod of a name that was there before is another one.
    return done(store_.put(pod_kind, *created(store_, pod.tree->value(), pod.name_space(), pod.name())));
}

model::Result<void> Operations::apply(const InputObject &object) {
    auto before = store_.find(object.kind, object.object->key());
    const auto &tree = object.object->tree;
    return done(store_.put(object.kind, before ? *kept(before->value(), tree->value(), "") : *tree));
}

model::Result<void> Operations::patch_node(std::string_view name, model::Value patch) {
    auto before = store_.node(name);
    if (!before) return missing("Node", name);
    return store_.put_node(*merged(before->tree->value(), patch));
}

model::Result<void> Operations::patch_pod(const std::string &key, model::Value patch) {
    auto before = store_.pod(key);
    if (!before) return missing("Pod", key);
    return change(*before, *merged(before->tree->value(), patch));
}

model::Result<void> Operations::patch_object(const model::Kind &kind, const std::string &key, model::Value patch) {
    auto before = store_.find(kind, key);
    if (!before) return missing(kind.name, key);
    return done(store_.put(kind, *merged(before->value(), patch)));
}

model::Result<void> Operations::delete_node(std::string_view name) {
    if (!store_.node(name)) return missing("Node", name);
    store_.remove_node(name);
    return {};
}

model::Result<void> Operations::delete_object(const model::Kind &kind, const std::string &key) {
    if (!store_.find(kind, key)) return missing(kind.name, key);
    const auto slash = key.find('/');
    env::ApiRequest request;
    request.verb = env::Verb::Delete;
    request.name_space = slash == std::string::npos ? "" : key.substr(0, slash);
    request.name = slash == std::string::npos ? key : key.substr(slash + 1);
    constexpr int refused = 400;
    if (auto answer = serve_object(store_, kind, request); answer.http_status >= refused)
        return model::Error{answer.body};
    return {};
}

void Operations::end_pod(const model::Pod &pod) {
    if (auto now = store_.pod(pod.key()); now && now->uid() == pod.uid()) store_.remove(pod_kind, pod.key());
}

model::Result<void> Operations::change(const model::Pod &before, const model::Tree &after) {
    auto allowed = allowed_change(before.tree->value(), after.value());
    return allowed ? done(store_.put(pod_kind, after)) : allowed;
}

}  // namespace berth::sim

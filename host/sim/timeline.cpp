// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline.h"

#include "model/build.h"
#include "sim/patch.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace berth::sim {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

/// `{spec: {unschedulable: true}}`, `{status: {phase: Succeeded}}`
template <class T>
model::TreePtr patch_of(std::string_view section, std::string_view field, T value) {
    auto tree = std::make_shared<model::Tree>();
    model::ObjectBuilder root(tree->arena), inner(tree->arena);
    tree->root = root.add(section, inner.add(field, value)).value();
    return tree;
}

model::Error at(const Named &what, const std::string &text) { return model::Error{what.where + ": " + text}; }

bool evicts(model::Value node) {
    auto taints = node["spec"]["taints"];
    for (std::size_t i = 0; i < taints.size(); ++i)
        if (taints.at(i)["effect"].string() == "NoExecute") return true;
    return false;
}

/// The part of a node's change whose consequences are not simulated; "" if none.
std::string unsimulated(model::Value before, model::Value after) {
    if (evicts(after) && !model::equal(before["spec"]["taints"], after["spec"]["taints"]))
        return "a simulation does not evict the pods of a node that gets a NoExecute taint";
    if (!model::equal(before["status"]["conditions"], after["status"]["conditions"]))
        return "a simulation does not act on the conditions of a node; set spec.taints as the node controller would";
    return "";
}

bool is_of(const model::Pod &pod, std::string_view owner_kind) {
    return owner_of(pod.tree->value()).starts_with(std::string(owner_kind) + " ");
}

}  // namespace

model::Result<void> Timeline::play(const Step &step) {
    if (auto done = apply(step.apply); !done) return done;
    for (const auto &one : step.remove)
        if (auto done = remove(one); !done) return done;
    for (const auto &one : step.patch)
        if (auto done = patch(one); !done) return done;
    for (const auto &one : step.drain)
        if (auto done = drain(one); !done) return done;
    for (const auto &one : step.finish)
        if (auto done = finish(one); !done) return done;
    return {};
}

model::Result<void> Timeline::apply(const std::vector<decode::Document> &objects) {
    if (objects.empty()) return {};
    auto input = read_objects(objects, operations_.store().kinds(), controllers_.workloads().classes());
    if (!input) return input.error();
    warnings_.insert(warnings_.end(), input->warnings.begin(), input->warnings.end());
    std::unordered_map<std::string, const decode::Document *> by_name;
    for (const auto &o : objects) {
        const auto name = std::string(o.value()["metadata"]["name"].string());
        by_name.emplace(std::string(o.value()["kind"].string()) + ' ' + name, &o);
    }
    auto where = [&](std::string_view kind, std::string_view name) {
        const auto what = std::string(kind) + ' ' + std::string(name);
        const auto at = by_name.find(what);
        return at == by_name.end() ? std::string{} : at->second->where(at->second->value()) + ": " + what + ": ";
    };
    for (const auto &one : input->objects) {
        // Namespaces without an object are those of the other objects.
        auto place = where(one.kind.name, one.object->name);
        if (place.empty() && operations_.store().find(one.kind, one.object->key())) continue;
        if (auto done = operations_.apply(one); !done) return model::Error{place + done.error().text};
    }
    for (const auto &node : input->nodes) {
        auto before = operations_.store().node(node->name);
        if (before && node->tree->value()["status"]) {
            auto why = unsimulated(before->tree->value(), node->tree->value());
            if (!why.empty()) return model::Error{where("Node", node->name) + why};
        }
        if (auto done = operations_.apply(*node); !done)
            return model::Error{where("Node", node->name) + done.error().text};
    }
    for (const auto &pod : input->pods)
        if (auto done = operations_.apply(*pod); !done)
            return model::Error{where("Pod", pod->name()) + done.error().text};
    return controllers_.workloads().add(input->workloads, input->classes);
}

std::optional<Timeline::Served> Timeline::find(const Named &what) const {
    const auto &store = operations_.store();
    const auto *kind = store.kind_named(what.kind);
    if (!kind) return std::nullopt;
    Served out{*kind, what.key()};
    out.kind.name = what.kind;
    // A namespace that the scenario does not say was assumed. Only a definition says whether a custom kind is
    // namespaced.
    const bool in_none =
        kind->scope == model::Scope::Cluster || (kind->scope == model::Scope::Unknown && store.find(*kind, what.name));
    if (in_none) out.key = what.name;
    return out;
}

model::Result<void> Timeline::remove(const Named &what) {
    auto done = model::Result<void>{};
    if (what.kind == "Pod") done = operations_.delete_object(pod_kind, what.key());
    else if (what.kind == "Node") done = operations_.delete_node(what.name);
    else if (auto served = find(what)) done = operations_.delete_object(served->kind, served->key);
    else return at(what, "the simulated cluster keeps no " + what.kind + " that could be deleted");
    return done ? done : at(what, done.error().text);
}

model::Result<void> Timeline::patch(const NamedPatch &what) {
    const auto &object = what.object;
    auto change = what.patch->value();
    auto done = model::Result<void>{};
    if (object.kind == "Pod") {
        if (change["status"]) return at(object, "a simulation does not patch the status of pods; `finish` ends one");
        done = operations_.patch_pod(object.key(), change);
    } else if (object.kind == "Node") {
        auto before = operations_.store().node(object.name);
        if (before) {
            auto why = unsimulated(before->tree->value(), merged(before->tree->value(), change)->value());
            if (!why.empty()) return at(object, why);
        }
        done = operations_.patch_node(object.name, change);
    } else if (auto served = find(object)) {
        done = operations_.patch_object(served->kind, served->key, change);
    } else {
        return at(object, "the simulated cluster keeps no " + object.kind + " that could be patched");
    }
    return done ? done : at(object, done.error().text);
}

model::Result<void> Timeline::finish(const Named &what) {
    auto pod = operations_.store().pod(what.key());
    if (pod && pod->node_name().empty()) return at(what, "Pod " + what.key() + " is on no node, so it cannot end");
    auto done = operations_.patch_pod(what.key(), patch_of("status", "phase", "Succeeded")->value());
    return done ? done : at(what, done.error().text);
}

model::Result<void> Timeline::drain(const Named &node) {
    // As kubectl drain --ignore-daemonsets --force --timeout=10m.
    constexpr std::int64_t timeout_ns = 600 * second_ns;
    auto done = operations_.patch_node(node.name, patch_of("spec", "unschedulable", true)->value());
    if (!done) return at(node, done.error().text);
    evict_all(node.name, operations_.store().clock().now_ns() + timeout_ns);
    return {};
}

void Timeline::evict_all(const std::string &node, std::int64_t until_ns) {
    constexpr std::int64_t again_ns = 5 * second_ns;
    std::vector<model::PodPtr> pods;
    for (const auto &[key, pod] : operations_.store().pods())
        if (pod->node_name() == node && !pod->terminating() && !is_of(*pod, "DaemonSet")) pods.push_back(pod);
    std::ranges::sort(pods, {}, [](const model::PodPtr &pod) { return pod->key(); });
    bool all = true;
    for (const auto &pod : pods) all = controllers_.budgets().evict(*pod) && all;
    if (all || operations_.store().clock().now_ns() + again_ns > until_ns) return;
    operations_.store().clock().after(again_ns, [this, node, until_ns] { evict_all(node, until_ns); });
}

}  // namespace berth::sim

// SPDX-License-Identifier: Apache-2.0
#include "offline/seen_world.h"

#include "config/gate_flags.h"
#include "model/build.h"
#include "model/time.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace berth::offline {
namespace {

using model::ObjectBuilder;
using model::Value;

/// The object with another `member` of its `part`.
berth_value with(model::Arena &arena, Value pod, const char *part, const char *member, std::string_view text) {
    ObjectBuilder out(arena), changed(arena);
    for (std::size_t i = 0; i < pod[part].size(); ++i)
        if (pod[part].key(i) != member) changed.add(pod[part].key(i), pod[part].member(i));
    changed.add(member, text);
    for (std::size_t i = 0; i < pod.size(); ++i)
        if (pod.key(i) != part) out.add(pod.key(i), pod.member(i));
    return out.add(part, changed).value();
}

/// Of the `feature_gates` of a configuration.
berth_value gates_value(model::Arena &arena, const std::string &gates) {
    ObjectBuilder out(arena);
    if (const auto values = config::read_gates({{gates}, {}, {}}))
        for (const auto &[name, on] : *values) out.add(name, on);
    return out.value();
}

/// Where it could have gone as well: chance is not the same in another order of the nodes.
std::vector<std::string> best(const model::Decision &decision) {
    std::vector<std::string> out{decision.node};
    const auto at = std::ranges::find(decision.nodes, decision.node, &model::NodeRecord::name);
    if (at == decision.nodes.end() || !at->scored) return out;
    for (const auto &node : decision.nodes)
        if (node.scored && node.total == at->total && node.name != decision.node) out.push_back(node.name);
    return out;
}

/// `{at, placed}` or `{at, pending}`.
berth_value expectation(model::Arena &arena, const model::Decision &decision) {
    ObjectBuilder out(arena), pods(arena);
    const auto key = decision.pod.name_space + "/" + decision.pod.name;
    const bool scheduled = decision.result == model::AttemptResult::Scheduled;
    if (scheduled) {
        model::ArrayBuilder nodes(arena);
        for (const auto &node : best(decision)) nodes.add(node);
        pods.add(key, nodes);
    } else if (decision.result == model::AttemptResult::Unschedulable) {
        pods.add(key, decision.message);
    } else {
        pods.add(key, model::make_null());
    }
    return out.add("at", "0s").add(scheduled ? "placed" : "pending", pods).value();
}

}  // namespace

void SeenWorld::decided(const model::Decision &decision) {
    using enum model::AttemptResult;
    if (decision.result == Scheduled || decision.result == Waiting) placed_[decision.pod.uid] = decision.node;
    else placed_.erase(decision.pod.uid);
    nominated_[decision.pod.uid] = decision.nominated_node;
}

void SeenWorld::keep(const model::PodPtr &pod) {
    const std::string uid(pod->uid());
    nominated_.erase(uid);
    if (!pod->node_name().empty()) placed_.erase(uid);
    if (pod->finished()) pods_.erase(uid);
    else pods_[uid] = pod;
}

void SeenWorld::node_added(model::NodePtr node) {
    nodes_[std::string(node->name)] = {++added_, node};
    next_->node_added(std::move(node));
}
void SeenWorld::node_updated(model::NodePtr before, model::NodePtr after) {
    nodes_[std::string(after->name)].second = after;
    next_->node_updated(std::move(before), std::move(after));
}
void SeenWorld::node_deleted(model::NodePtr node) {
    nodes_.erase(std::string(node->name));
    next_->node_deleted(std::move(node));
}
void SeenWorld::pod_added(model::PodPtr pod) {
    keep(pod);
    next_->pod_added(std::move(pod));
}
void SeenWorld::pod_updated(model::PodPtr before, model::PodPtr after) {
    keep(after);
    next_->pod_updated(std::move(before), std::move(after));
}
void SeenWorld::pod_deleted(model::PodPtr pod) {
    const std::string uid(pod->uid());
    pods_.erase(uid);
    placed_.erase(uid);
    nominated_.erase(uid);
    next_->pod_deleted(std::move(pod));
}
void SeenWorld::object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) {
    const auto key = std::pair(kind.text(), (after ? *after : *before).key());
    if (after) objects_[key] = after;
    else objects_.erase(key);
    next_->object_changed(kind, std::move(before), std::move(after));
}

model::TreePtr SeenWorld::scenario(const model::Decision &decision, const model::TreePtr &configuration,
                                   const plugin::Kubernetes &as) const {
    auto tree = std::make_shared<model::Tree>();
    auto &arena = tree->arena;
    ObjectBuilder out(arena), metadata(arena);
    model::ArrayBuilder objects(arena), expect(arena);
    out.add("apiVersion", "berth/v1alpha1").add("kind", "Scenario");
    out.add("metadata", metadata.add("name", decision.pod.name));
    out.add("description", "Pod " + decision.pod.name_space + "/" + decision.pod.name + " and its cluster at " +
                               model::format_time(decision.time_ns) + ", attempt " + std::to_string(decision.attempt) +
                               ", from a recording.");
    out.add("kubernetesVersion", std::string_view{as.release.text()});
    if (!as.feature_gates.empty()) out.add("featureGates", gates_value(arena, as.feature_gates));
    if (configuration) out.add("configuration", configuration->value());
    std::vector<std::pair<std::uint64_t, model::NodePtr>> nodes;
    for (const auto &[name, node] : nodes_) nodes.push_back(node);
    std::ranges::sort(nodes);
    for (const auto &[order, node] : nodes) objects.add(node->tree->value());
    for (const auto &[key, object] : objects_) objects.add(object->tree->value());
    for (const auto &[uid, pod] : pods_) {
        const auto at = placed_.find(uid);
        if (uid == decision.pod.uid || !pod->node_name().empty()) objects.add(pod->tree->value());
        else if (at != placed_.end()) objects.add(with(arena, pod->tree->value(), "spec", "nodeName", at->second));
        else if (const auto nominated = nominated_.find(uid);
                 nominated == nominated_.end() ? !pod->nominated_node().empty() : !nominated->second.empty())
            objects.add(with(arena, pod->tree->value(), "status", "nominatedNodeName",
                             nominated == nominated_.end() ? pod->nominated_node() : nominated->second));
    }
    out.add("objects", objects).add("expect", expect.add(expectation(arena, decision)));
    tree->root = out.value();
    return tree;
}

}  // namespace berth::offline

// SPDX-License-Identifier: Apache-2.0
#include "cluster/nominations.h"

#include "model/build.h"

#include <algorithm>

namespace berth::cluster {
namespace {

/// A pod of that name, UID and group of which nothing else is known: it asks for nothing.
model::PodPtr bare_copy(const model::Pod &pod) {
    auto tree = std::make_shared<model::Tree>();
    auto &arena = tree->arena;
    model::ObjectBuilder metadata(arena), group(arena), spec(arena), object(arena);
    metadata.add("namespace", pod.name_space()).add("name", pod.name()).add("uid", pod.uid());
    if (!pod.group().empty()) spec.add("schedulingGroup", group.add("podGroupName", pod.group()));
    object.add("metadata", metadata).add("spec", spec);
    tree->root = object.value();
    return model::read_pod(std::move(tree), [](model::Value, const std::string &, const std::string &) {});
}

}  // namespace

void Nominations::set(const model::PodPtr &pod, std::optional<std::string_view> node, model::Victims victims) {
    std::string name(node.value_or(pod->nominated_node()));
    if (!node && victims.pods.empty() && node_of(pod->uid()) == name) victims = victims_of(pod->uid());
    remove(pod->uid());
    if (name.empty()) return;
    by_node_[name].push_back(pod);
    nominated_[std::string(pod->uid())] = {std::move(name), std::move(victims)};
}

void Nominations::update(const model::Pod &before, const model::PodPtr &after) {
    // An update may come late, from before the nomination.
    bool silent = before.nominated_node().empty() && after->nominated_node().empty();
    std::string node(node_of(before.uid()));
    auto victims = victims_of(before.uid());
    if (!silent || node.empty()) {
        if (after->nominated_node() != node) victims = {};
        node = after->nominated_node();
    }
    remove(before.uid());
    set(after, node, std::move(victims));
}

bool Nominations::remove(std::string_view uid) {
    auto of = nominated_.find(std::string(uid));
    if (of == nominated_.end()) return false;
    auto at = by_node_.find(of->second.node);
    std::erase_if(at->second, [&](const model::PodPtr &pod) { return pod->uid() == uid; });
    if (at->second.empty()) by_node_.erase(at);
    nominated_.erase(of);
    return true;
}

void Nominations::bare(std::string_view uid) {
    auto of = nominated_.find(std::string(uid));
    if (of == nominated_.end()) return;
    for (auto &pod : by_node_.at(of->second.node))
        if (pod->uid() == uid)
            if (auto bare = bare_copy(*pod)) pod = std::move(bare);
}

std::span<const model::PodPtr> Nominations::on(std::string_view node) const {
    auto at = by_node_.find(std::string(node));
    if (at == by_node_.end()) return {};
    return at->second;
}

std::string_view Nominations::node_of(std::string_view uid) const {
    auto at = nominated_.find(std::string(uid));
    return at == nominated_.end() ? std::string_view{} : std::string_view(at->second.node);
}

model::Victims Nominations::victims_of(std::string_view uid) const {
    auto at = nominated_.find(std::string(uid));
    return at == nominated_.end() ? model::Victims{} : at->second.victims;
}

void Nominations::visit(std::string_view node, const std::function<void(const berth_pod &)> &visit) const {
    // The visitor may remove nominations.
    const auto pods = on(node);
    for (const auto &pod : std::vector<model::PodPtr>(pods.begin(), pods.end())) visit(pod->view);
}

}  // namespace berth::cluster

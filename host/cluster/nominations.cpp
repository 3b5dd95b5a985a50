// SPDX-License-Identifier: Apache-2.0
#include "cluster/nominations.h"

#include <algorithm>

namespace berth::cluster {

void Nominations::set(const model::PodPtr &pod, std::optional<std::string_view> node) {
    remove(pod->uid());
    std::string name(node.value_or(pod->nominated_node()));
    if (name.empty()) return;
    by_node_[name].push_back(pod);
    node_of_[std::string(pod->uid())] = std::move(name);
}

void Nominations::update(const model::Pod &before, const model::PodPtr &after) {
    // An update may come late, from before the nomination.
    bool silent = before.nominated_node().empty() && after->nominated_node().empty();
    std::string known(node_of(before.uid()));
    remove(before.uid());
    if (silent && !known.empty()) set(after, known);
    else set(after);
}

bool Nominations::remove(std::string_view uid) {
    auto of = node_of_.find(std::string(uid));
    if (of == node_of_.end()) return false;
    auto at = by_node_.find(of->second);
    std::erase_if(at->second, [&](const model::PodPtr &pod) { return pod->uid() == uid; });
    if (at->second.empty()) by_node_.erase(at);
    node_of_.erase(of);
    return true;
}

std::span<const model::PodPtr> Nominations::on(std::string_view node) const {
    auto at = by_node_.find(std::string(node));
    if (at == by_node_.end()) return {};
    return at->second;
}

std::string_view Nominations::node_of(std::string_view uid) const {
    auto at = node_of_.find(std::string(uid));
    return at == node_of_.end() ? std::string_view{} : std::string_view(at->second);
}

void Nominations::visit(std::string_view node, const std::function<void(const berth_pod &)> &visit) const {
    // The visitor may remove nominations.
    const auto pods = on(node);
    for (const auto &pod : std::vector<model::PodPtr>(pods.begin(), pods.end())) visit(pod->view);
}

}  // namespace berth::cluster

// SPDX-License-Identifier: Apache-2.0
// Which nodes one plugin alone rejects.
#include "cycle/nearest.h"

#include "cycle/filters.h"
#include "cycle/pre_filters.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace berth::cycle {
namespace {

using Slots = std::vector<std::uint32_t>;

/// A node that one plugin alone rejects.
struct Near {
    std::uint32_t slot;
    const model::Status *verdict;
};

/// What the pods on these nodes ask for, with those that come before the pod and are promised one.
std::unordered_map<std::uint32_t, NodeSums> sums_of(const Search &search, const std::vector<Near> &near) {
    std::unordered_map<std::uint32_t, NodeSums> out;
    for (const auto &one : near) {
        auto &sums = out[one.slot];
        for (const auto &pod : search.nominations.on(model::view(search.nodes.name[one.slot])))
            if (pod->view.priority >= search.pod.priority && pod->uid() != model::view(search.pod.uid))
                sums.add(pod->accounted());
    }
    const berth_pods &pods = *search.nodes.pods;
    for (std::uint32_t row = 0; row < pods.rows; ++row) {
        const auto at = out.find(pods.node_slot[row]);
        if (at == out.end() || !pods.obj[row]) continue;
        at->second.add(static_cast<const model::Pod *>(model::object_of(pods.obj[row]))->accounted());
    }
    return out;
}

/// Those of the nodes that `rejector` rejects which everybody else takes.
Slots taken_by_others(const Search &search, const PreFilters &pre_filters, const plugin::Instance *rejector,
                      const Slots &slots) {
    Participants others;
    for (const plugin::Instance *instance : search.profile.filter)
        if (instance != rejector && !pre_filters.skipped(instance)) others.filters.push_back(instance);
    for (const plugin::Instance *instance : search.profile.pre_filter)
        if (instance->pre_filter_ext && !pre_filters.skipped(instance)) others.extensions.push_back(instance);
    Filters filters;
    filters.begin(search, std::move(others));
    const auto status = filters.visit(search, slots, 0, static_cast<std::uint32_t>(slots.size()));
    return status.success() ? filters.feasible() : Slots{};
}

}  // namespace

std::vector<model::NearChange> nearest(const Search &search, const std::vector<model::NodeRecord> &judged,
                                       std::size_t most) {
    PreFilters pre_filters;
    if (!pre_filters.run(search, nullptr).success()) return {};
    std::unordered_map<std::uint32_t, const model::Status *> verdicts;
    std::unordered_map<std::string_view, Slots> rejected;  // by plugin
    for (const auto &node : judged) {
        const auto slot = search.nodes.find(&search.nodes, model::to_str(node.name));
        if (node.verdict.success() || slot == BERTH_NO_SLOT) continue;
        verdicts[slot] = &node.verdict;
        rejected[node.verdict.plugin].push_back(slot);
    }
    std::vector<Near> near;
    for (const plugin::Instance *instance : search.profile.filter)
        if (auto at = rejected.find(instance->name); at != rejected.end())
            for (auto slot : taken_by_others(search, pre_filters, instance, at->second))
                near.push_back({slot, verdicts.at(slot)});
    auto sums = sums_of(search, near);
    std::vector<model::NearChange> all;
    for (const auto &[slot, verdict] : near)
        all.push_back(change_of(search.pod, *static_cast<const model::Node *>(model::object_of(search.nodes.obj[slot])),
                                sums.at(slot), *verdict));
    return smallest(std::move(all), most);
}

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The queueing hints of PodTopologySpread.

#include "own_update.h"
#include "spread_constraints.h"

namespace kubernetes {

/// Two lists say the same; none and an empty one are equal.
inline bool same_list(berth::Value a, berth::Value b) {
    return a.size() == 0 ? b.size() == 0 : berth::json(a) == berth::json(b);
}

/// Whether what has happened to another pod, or to itself, can help `pod`.
inline berth::Hint spread_hint_of_pod(berth::Event event, berth::Pod pod, SpreadConstraints &of, const Rules &rules) {
    auto before = event.old_pod(), after = event.new_pod();
    const bool own = own_update(event, pod, rules).has_value();
    auto irrelevant = [&](const std::optional<berth::Pod> &p) {
        if (!p || p->uid() == pod.uid()) return false;
        return (p->node_name().empty() && p->nominated_node().empty()) || p->name_space() != pod.name_space();
    };
    if (!(own && rules.any_waiting_pod_is_own) && (irrelevant(after) || irrelevant(before))) return berth::Hint::Skip;
    std::optional<SpreadHints> defaults;
    const auto &constraints = of.hints(pod, defaults);
    if (constraints.fault) return berth::Hint::Error;
    auto any = [&](auto what) {
        return std::any_of(constraints.selectors.begin(), constraints.selectors.end(), what) ? berth::Hint::Queue
                                                                                             : berth::Hint::Skip;
    };
    if (!before || !after) {
        auto labels = (after ? after : before)->labels();
        return any([&](const LabelSelector &s) { return s.matches(labels); });
    }
    constexpr std::string_view tolerations = "/spec/tolerations";
    if (own && constraints.honors_taints && !same_list(before->at(tolerations), after->at(tolerations)))
        return berth::Hint::Queue;
    return any([&](const LabelSelector &s) { return s.matches(before->labels()) != s.matches(after->labels()); });
}

/// Whether what has happened to a node can help `pod`.
inline berth::Hint spread_hint_of_node(berth::Event event, berth::Pod pod, SpreadConstraints &of) {
    std::optional<SpreadHints> defaults;
    const auto &constraints = of.hints(pod, defaults);
    if (constraints.fault) return berth::Hint::Error;
    auto before = event.old_node(), after = event.new_node();
    auto labels_of = [](const std::optional<berth::Node> &node) {
        return node ? node->at("/metadata/labels") : berth::Value{};
    };
    const auto old_labels = labels_of(before), labels = labels_of(after);
    auto all = [&](auto holds) { return std::all_of(constraints.keys.begin(), constraints.keys.end(), holds); };
    bool was = before && all([&](const std::string &key) { return bool(old_labels[key]); });
    bool is = after && all([&](const std::string &key) { return bool(labels[key]); });
    bool helps = was || is;
    if (was && is)
        helps = !all([&](const std::string &key) { return old_labels[key].string() == labels[key].string(); }) ||
                !same_list(before->at("/spec/taints"), after->at("/spec/taints"));
    return helps ? berth::Hint::Queue : berth::Hint::Skip;
}

}  // namespace kubernetes

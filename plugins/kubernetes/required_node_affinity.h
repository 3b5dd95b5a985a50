// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod's nodeSelector and required node affinity, parsed (upstream: RequiredNodeAffinity).

#include "node_selector.h"

#include <algorithm>

namespace kubernetes {

/// What a pod demands of its node's labels: spec.nodeSelector and the required node affinity. A term that cannot be
/// parsed never matches; the others still count.
struct RequiredNodeAffinity {
    static constexpr std::string_view pointer =
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

    std::vector<Requirement> selector;           ///< spec.nodeSelector
    std::optional<std::vector<NodeTerm>> terms;  ///< the required affinity, if there is one

    /// Of a berth::Pod, or its berth::Object.
    template <class Pod>
    static RequiredNodeAffinity read(const Pod &pod) {
        RequiredNodeAffinity need;
        auto wanted = pod.at("/spec/nodeSelector");
        for (std::size_t i = 0; i < wanted.size(); ++i)
            need.selector.push_back({std::string(wanted.key(i)),
                                     berth::SelectionOperator::In,
                                     {std::string(wanted.member(i).string())},
                                     0});
        auto required = pod.at(pointer);
        if (!required.is_null()) need.terms = berth::parse_node_selector(required, "");
        return need;
    }

    /// Any node will do.
    bool none() const { return selector.empty() && !terms; }

    /// How many requirements the pod states: as many as fit into an object.
    template <class Pod>
    static std::size_t size_of(const Pod &pod) {
        auto size = pod.at("/spec/nodeSelector").size();
        auto list = pod.at(pointer)["nodeSelectorTerms"];
        for (std::size_t i = 0; i < list.size(); ++i) size += list.at(i)["matchExpressions"].size();
        return size;
    }

    /// The same as read(pod).matches(labels, slot), for one node: reads no more of the pod than up to what does not
    /// hold.
    static bool holds(berth::Pod pod, LabelReader &labels, std::uint32_t slot) {
        return selector_holds(pod, labels, slot) && some_term_holds(pod, labels, slot);
    }

    /// The same as read(pod).fails(labels, slot), for one node.
    static bool fails(berth::Pod pod, LabelReader &labels, std::uint32_t slot) {
        auto list = pod.at(pointer)["nodeSelectorTerms"];
        bool faulty = false;
        for (std::size_t i = 0; i < list.size() && !faulty; ++i)
            each_requirement(list.at(i), [&](const NodeTerm &one) { return !(faulty = !one.faults.empty()); });
        return faulty && selector_holds(pod, labels, slot) && !some_term_holds(pod, labels, slot);
    }

    bool matches(LabelReader &labels, std::uint32_t slot) const {
        return labels.matches_all(selector, slot) && (!terms || labels.matches_any(*terms, slot));
    }

    /// Whether upstream returns an error: no term matches, and one of them cannot be parsed.
    bool fails(LabelReader &labels, std::uint32_t slot) const {
        return terms && std::ranges::any_of(*terms, [](const NodeTerm &t) { return !t.faults.empty(); }) &&
               labels.matches_all(selector, slot) && !labels.matches_any(*terms, slot);
    }

private:
    static bool selector_holds(berth::Pod pod, LabelReader &labels, std::uint32_t slot) {
        auto wanted = pod.at("/spec/nodeSelector");
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            auto value = labels.label(wanted.key(i), slot);
            if (!value.is_string() || value.string() != wanted.member(i).string()) return false;
        }
        return true;
    }

    static bool some_term_holds(berth::Pod pod, LabelReader &labels, std::uint32_t slot) {
        auto required = pod.at(pointer);
        if (required.is_null()) return true;
        auto list = required["nodeSelectorTerms"];
        for (std::size_t i = 0; i < list.size(); ++i)
            if (term_holds(list.at(i), labels, slot)) return true;
        return false;
    }

    static bool term_holds(berth::Value term, LabelReader &labels, std::uint32_t slot) {
        if (term["matchExpressions"].size() == 0 && term["matchFields"].size() == 0) return false;
        return each_requirement(term, [&](const NodeTerm &one) { return labels.matches(one, slot); });
    }

    /// Parses one requirement after the other, as a term of its own, as long as `go_on` says so: whether it always did.
    template <class GoOn>
    static bool each_requirement(berth::Value term, GoOn go_on) {
        auto each = [&](auto parse, berth::Value list) {
            for (std::size_t i = 0; i < list.size(); ++i) {
                NodeTerm one;
                parse(list.at(i), std::string(), one);
                if (!go_on(one)) return false;
            }
            return true;
        };
        return each(berth::parse_requirement, term["matchExpressions"]) &&
               each(berth::parse_field_requirement, term["matchFields"]);
    }
};

/// The same as far as nodes differ in it, for one attempt.
struct RequiredOfNodes {
    std::vector<PlacedRequirement> selector;
    std::optional<std::vector<PlacedTerm>> terms;
    LabelColumns columns;
    bool nowhere = false;  ///< no node has what it demands

    /// In PreFilter or PreScore.
    RequiredOfNodes(const RequiredNodeAffinity &stated, const berth::Host &host, berth::Nodes nodes) {
        PresentLabels labels(host, nodes, columns);
        for (const auto &r : stated.selector)
            if (!labels.keep(r, selector)) {
                nowhere = true;
                return;
            }
        if (!stated.terms) return;
        terms = labels.keep(*stated.terms);
        nowhere = terms->empty();
    }

    /// `labels` reads `columns`.
    bool matches(LabelReader &labels, std::uint32_t slot) const {
        return !nowhere && labels.matches_all(selector, slot) && (!terms || labels.matches_any(*terms, slot));
    }
};

}  // namespace kubernetes

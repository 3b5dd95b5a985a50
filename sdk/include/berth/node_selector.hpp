// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Node selectors (v1.NodeSelector), parsed once and matched against nodes. The rules and the texts of faults are those
/// of Kubernetes 1.36 (component-helpers/scheduling/corev1/nodeaffinity and apimachinery/pkg/labels, NewRequirement).

#include <berth/json.hpp>
#include <berth/requirement.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

/// Does a requirement of matchFields hold for a node of that name? A field that nodes do not have reads as the empty
/// string.
inline bool matches_field(const Requirement &r, std::string_view node_name) {
    return r.matches(r.key == "metadata.name" ? node_name : std::string_view{});
}

/// A term: all of its requirements must hold.
struct NodeTerm {
    std::vector<Requirement> labels;
    std::vector<Requirement> fields;  ///< over metadata.name, In and NotIn with one value
    std::vector<std::string> faults;  ///< a term that has some never matches
    std::int64_t weight = 0;          ///< of a preferred term
};

/// Parses one requirement of matchExpressions at `path`: adds it to `term`, or its faults with their paths, in the
/// order and the words of upstream. Texts are copied.
inline void parse_requirement(Value e, const std::string &path, NodeTerm &term) {
    const auto name = e["operator"].string();
    const auto op = node_selector_operator(name);
    if (!op) {
        term.faults.push_back(path + ".operator: Unsupported value: " + json_quote(name) +
                              ": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"");
        return;
    }
    auto r = detail::read_expression(e);
    r.op = *op;
    const auto faults = check_requirement(r, detail::no_values_of(e));
    for (const auto &fault : faults) term.faults.push_back(path + "." + fault.where + ": " + fault.text);
    if (faults.empty()) term.labels.push_back(std::move(r));
}

/// The same of matchFields.
inline void parse_field_requirement(Value e, const std::string &path, NodeTerm &term) {
    auto r = detail::read_expression(e);
    auto op = e["operator"].string();
    if (op != "In" && op != "NotIn") {
        term.faults.push_back(path + ".operator: Unsupported value: " + json_quote(op) +
                              ": supported values: \"In\", \"NotIn\"");
        return;
    }
    r.op = op == "In" ? SelectionOperator::In : SelectionOperator::NotIn;
    if (r.values.size() != 1) {
        term.faults.push_back(path + ".values: Invalid value: " +
                              detail::quoted_list(r.values, detail::no_values_of(e)) + ": must have one element");
        return;
    }
    term.fields.push_back(std::move(r));
}

/// Parses a NodeSelectorTerm; nullopt for an empty one, which matches nothing.
inline std::optional<NodeTerm> parse_node_term(Value v, const std::string &path) {
    auto expressions = v["matchExpressions"], fields = v["matchFields"];
    if (expressions.size() == 0 && fields.size() == 0) return std::nullopt;
    NodeTerm term;
    for (std::size_t i = 0; i < expressions.size(); ++i)
        parse_requirement(expressions.at(i), path + ".matchExpressions[" + std::to_string(i) + "]", term);
    for (std::size_t i = 0; i < fields.size(); ++i)
        parse_field_requirement(fields.at(i), path + ".matchFields[" + std::to_string(i) + "]", term);
    return term;
}

/// The terms of a NodeSelector, one of which has to match, without the empty ones. A term that Kubernetes refuses is
/// among them, with its faults. An absent selector has no terms, as one with an empty list.
inline std::vector<NodeTerm> parse_node_selector(Value selector, const std::string &path) {
    std::vector<NodeTerm> terms;
    auto list = selector["nodeSelectorTerms"];
    for (std::size_t i = 0; i < list.size(); ++i)
        if (auto t = parse_node_term(list.at(i),
                                     path + (path.empty() ? "" : ".") + "nodeSelectorTerms[" + std::to_string(i) + "]"))
            terms.push_back(std::move(*t));
    return terms;
}

/// The terms of a PreferredSchedulingTerm list; those of weight 0 are left out unparsed.
inline std::vector<NodeTerm> parse_preferred_terms(Value list, const std::string &path) {
    std::vector<NodeTerm> terms;
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto weight = list.at(i)["weight"].integer().value_or(0);
        if (weight == 0) continue;
        auto t = parse_node_term(list.at(i)["preference"], path + "[" + std::to_string(i) + "]");
        if (!t) continue;
        t->weight = weight;
        terms.push_back(std::move(*t));
    }
    return terms;
}

/// Every fault of some terms as upstream joins them; empty if there is none.
inline std::string faults_of(const std::vector<NodeTerm> &terms) {
    std::vector<std::string_view> all;
    std::set<std::string_view> seen;
    for (const auto &t : terms)
        for (const auto &fault : t.faults)
            if (seen.insert(fault).second) all.push_back(fault);
    return detail::aggregate(all);
}

/// Does a node with these labels (sorted by key) and this name match the term? Without a name fields are not looked at.
/// Allocates nothing.
inline bool matches_term(const NodeTerm &term, std::span<const berth_label> labels,
                         std::optional<std::string_view> name) {
    if (!term.faults.empty()) return false;
    for (const auto &r : term.labels)
        if (!r.matches(find_label(labels, r.key))) return false;
    return !name || std::all_of(term.fields.begin(), term.fields.end(),
                                [&](const Requirement &r) { return matches_field(r, *name); });
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Node selectors (v1.NodeSelector), parsed once and matched against nodes. The rules and the texts of faults are those
/// of Kubernetes 1.36 (component-helpers/scheduling/corev1/nodeaffinity and apimachinery/pkg/labels, NewRequirement).

#include <berth/json.hpp>
#include <berth/label_syntax.hpp>
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

/// One requirement of a term. It owns its texts.
struct NodeRequirement {
    using Op = SelectionOperator;
    std::string key;
    Op op = Op::In;
    std::vector<std::string> values;
    std::int64_t bound = 0;   ///< of Gt and Lt
    std::uint32_t place = 0;  ///< the plugin's own, such as the place of the label's column; 0 as parsed

    /// Of the label `key`; nullopt: the node does not have it.
    bool matches(std::optional<std::string_view> label) const { return holds(op, label, values, bound); }
    /// Of the field `key`, for a node of that name. A field that nodes do not have reads as the empty string.
    bool matches_field(std::string_view node_name) const {
        return matches(key == "metadata.name" ? node_name : std::string_view{});
    }
};

/// A term: all of its requirements must hold.
struct NodeTerm {
    std::vector<NodeRequirement> labels;
    std::vector<NodeRequirement> fields;  ///< over metadata.name, In and NotIn with one value
    std::vector<std::string> faults;      ///< a term that has some never matches
    std::int64_t weight = 0;              ///< of a preferred term
};

namespace detail {

/// A list of strings as a field error shows it.
inline std::string quoted_list(const std::vector<std::string> &values) {
    std::string out = "[";
    for (std::size_t i = 0; i < values.size(); ++i) out += (i ? "," : "") + json_quote(values[i]);
    return out + "]";
}

}  // namespace detail

/// Parses one requirement of matchExpressions at `path`: adds it to `term`, or its faults with their paths, in the
/// order and the words of upstream. Texts are copied. A value of Gt and Lt must be a label value too: no sign.
inline void parse_requirement(Value e, const std::string &path, NodeTerm &term) {
    using Op = NodeRequirement::Op;
    NodeRequirement r;
    r.key = e["key"].string();
    for (std::size_t i = 0; i < e["values"].size(); ++i) r.values.emplace_back(e["values"].at(i).string());
    auto op = e["operator"].string();
    const auto before = term.faults.size();
    auto invalid = [&](const std::string &where, const std::string &value, const std::string &why) {
        term.faults.push_back(path + where + ": Invalid value: " + value + ": " + why);
    };
    auto at = [](std::size_t i) { return ".values[" + std::to_string(i) + "]"; };
    const auto known = node_selector_operator(op);
    if (!known) {
        term.faults.push_back(path + ".operator: Unsupported value: " + json_quote(op) +
                              ": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"");
        return;
    }
    r.op = *known;
    if (auto why = label_key_fault(r.key); !why.empty()) invalid(".key", json_quote(r.key), why);
    switch (r.op) {
        case Op::In:
        case Op::NotIn:
            if (r.values.empty()) invalid(".values", "[]", "for 'in', 'notin' operators, values set can't be empty");
            break;
        case Op::Exists:
        case Op::DoesNotExist:
            if (!r.values.empty())
                invalid(".values", detail::quoted_list(r.values),
                        "values set must be empty for exists and does not exist");
            break;
        default:
            if (r.values.size() != 1)
                invalid(".values", detail::quoted_list(r.values),
                        "for 'Gt', 'Lt' operators, exactly one value is required");
            for (std::size_t i = 0; i < r.values.size(); ++i)
                if (const auto n = parse_int64(r.values[i])) r.bound = *n;
                else invalid(at(i), json_quote(r.values[i]), "for 'Gt', 'Lt' operators, the value must be an integer");
    }
    for (std::size_t i = 0; i < r.values.size(); ++i)
        if (auto why = label_value_fault(r.values[i]); !why.empty())
            invalid(at(i) + "[" + r.key + "]", json_quote(r.values[i]), why);
    if (term.faults.size() == before) term.labels.push_back(std::move(r));
}

/// The same of matchFields.
inline void parse_field_requirement(Value e, const std::string &path, NodeTerm &term) {
    NodeRequirement r;
    r.key = e["key"].string();
    for (std::size_t i = 0; i < e["values"].size(); ++i) r.values.emplace_back(e["values"].at(i).string());
    auto op = e["operator"].string();
    if (op != "In" && op != "NotIn") {
        term.faults.push_back(path + ".operator: Unsupported value: " + json_quote(op) +
                              ": supported values: \"In\", \"NotIn\"");
        return;
    }
    r.op = op == "In" ? NodeRequirement::Op::In : NodeRequirement::Op::NotIn;
    if (r.values.size() != 1) {
        term.faults.push_back(path + ".values: Invalid value: " + detail::quoted_list(r.values) +
                              ": must have one element");
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
    if (all.size() == 1) return std::string(all[0]);
    std::string out;
    for (auto f : all) (out += out.empty() ? "[" : ", ") += f;
    return out.empty() ? out : out + "]";
}

/// Does a node with these labels (sorted by key) and this name match the term? Without a name fields are not looked at.
/// Allocates nothing.
inline bool matches_term(const NodeTerm &term, std::span<const berth_label> labels,
                         std::optional<std::string_view> name) {
    if (!term.faults.empty()) return false;
    for (const auto &r : term.labels)
        if (!r.matches(find_label(labels, r.key))) return false;
    return !name || std::all_of(term.fields.begin(), term.fields.end(),
                                [&](const NodeRequirement &r) { return r.matches_field(*name); });
}

}  // namespace berth

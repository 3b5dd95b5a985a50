// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/label_syntax.hpp>
#include <berth/plugin.hpp>
#include <berth/selector.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubernetes {

/// One requirement of a node selector term.
struct NodeRequirement {
    enum class Op { In, NotIn, Exists, DoesNotExist, Gt, Lt };
    std::string key;
    Op op = Op::In;
    std::vector<std::string> values;
    std::int64_t bound = 0;   ///< of Gt and Lt
    std::uint32_t place = 0;  ///< of its column among LabelColumns, one more; 0: read the node object instead

    bool matches(std::optional<std::string_view> label) const {
        switch (op) {
            case Op::In: return label && has(*label);
            case Op::NotIn: return !label || !has(*label);
            case Op::Exists: return label.has_value();
            case Op::DoesNotExist: return !label;
            default: {
                std::int64_t n = 0;
                if (!label || !parse_int(*label, n)) return false;
                return op == Op::Gt ? n > bound : n < bound;
            }
        }
    }

    /// As Go's strconv.ParseInt(s, 10, 64): a sign is allowed, blanks are not.
    static bool parse_int(std::string_view s, std::int64_t &n) {
        if (s.starts_with('+')) {
            s.remove_prefix(1);
            if (s.starts_with('-')) return false;
        }
        auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
        return !s.empty() && error == std::errc{} && end == s.data() + s.size();
    }

private:
    bool has(std::string_view v) const { return std::find(values.begin(), values.end(), v) != values.end(); }
};

/// A term: all of its requirements must hold.
struct NodeTerm {
    std::vector<NodeRequirement> labels;
    std::vector<NodeRequirement> fields;  ///< over metadata.name, In and NotIn with one value
    std::vector<std::string> faults;      ///< a term that has some never matches
    std::int64_t weight = 0;              ///< of a preferred term
};

/// A list of strings as a field error shows it.
inline std::string quoted_list(const std::vector<std::string> &values) {
    std::string out = "[";
    for (std::size_t i = 0; i < values.size(); ++i) out += (i ? "," : "") + berth::json_quote(values[i]);
    return out + "]";
}

/// Parses one requirement of matchExpressions; faults are appended with their paths, in the order and the words of
/// upstream (apimachinery/pkg/labels NewRequirement). A value of Gt and Lt must be a label value too: no sign.
inline void parse_expression(berth::Value e, const std::string &path, NodeTerm &term) {
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
    static constexpr std::pair<std::string_view, Op> operators[] = {
        {"In", Op::In}, {"NotIn", Op::NotIn}, {"Exists", Op::Exists}, {"DoesNotExist", Op::DoesNotExist},
        {"Gt", Op::Gt}, {"Lt", Op::Lt},
    };
    const auto *known = std::find_if(std::begin(operators), std::end(operators),
                                     [&](const auto &candidate) { return candidate.first == op; });
    if (known == std::end(operators)) {
        term.faults.push_back(path + ".operator: Unsupported value: " + berth::json_quote(op) +
                              ": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"");
        return;
    }
    r.op = known->second;
    if (auto why = berth::label_key_fault(r.key); !why.empty()) invalid(".key", berth::json_quote(r.key), why);
    switch (r.op) {
        case Op::In:
        case Op::NotIn:
            if (r.values.empty()) invalid(".values", "[]", "for 'in', 'notin' operators, values set can't be empty");
            break;
        case Op::Exists:
        case Op::DoesNotExist:
            if (!r.values.empty())
                invalid(".values", quoted_list(r.values), "values set must be empty for exists and does not exist");
            break;
        default:
            if (r.values.size() != 1)
                invalid(".values", quoted_list(r.values), "for 'Gt', 'Lt' operators, exactly one value is required");
            for (std::size_t i = 0; i < r.values.size(); ++i)
                if (!NodeRequirement::parse_int(r.values[i], r.bound))
                    invalid(at(i), berth::json_quote(r.values[i]),
                            "for 'Gt', 'Lt' operators, the value must be an integer");
    }
    for (std::size_t i = 0; i < r.values.size(); ++i)
        if (auto why = berth::label_value_fault(r.values[i]); !why.empty())
            invalid(at(i) + "[" + r.key + "]", berth::json_quote(r.values[i]), why);
    if (term.faults.size() == before) term.labels.push_back(std::move(r));
}

/// Parses one requirement of matchFields.
inline void parse_field(berth::Value e, const std::string &path, NodeTerm &term) {
    NodeRequirement r;
    r.key = e["key"].string();
    for (std::size_t i = 0; i < e["values"].size(); ++i) r.values.emplace_back(e["values"].at(i).string());
    auto op = e["operator"].string();
    if (op != "In" && op != "NotIn") {
        term.faults.push_back(path + ".operator: Unsupported value: " + berth::json_quote(op) +
                              ": supported values: \"In\", \"NotIn\"");
        return;
    }
    r.op = op == "In" ? NodeRequirement::Op::In : NodeRequirement::Op::NotIn;
    if (r.values.size() != 1) {
        term.faults.push_back(path + ".values: Invalid value: " + quoted_list(r.values) + ": must have one element");
        return;
    }
    term.fields.push_back(std::move(r));
}

/// Parses a NodeSelectorTerm; nullopt for an empty one, which matches nothing.
inline std::optional<NodeTerm> parse_term(berth::Value v, const std::string &path) {
    auto expressions = v["matchExpressions"], fields = v["matchFields"];
    if (expressions.size() == 0 && fields.size() == 0) return std::nullopt;
    NodeTerm term;
    for (std::size_t i = 0; i < expressions.size(); ++i)
        parse_expression(expressions.at(i), path + ".matchExpressions[" + std::to_string(i) + "]", term);
    for (std::size_t i = 0; i < fields.size(); ++i)
        parse_field(fields.at(i), path + ".matchFields[" + std::to_string(i) + "]", term);
    return term;
}

/// The terms of a NodeSelector (ORed).
inline std::vector<NodeTerm> parse_selector(berth::Value selector, const std::string &path) {
    std::vector<NodeTerm> terms;
    auto list = selector["nodeSelectorTerms"];
    for (std::size_t i = 0; i < list.size(); ++i)
        if (auto t = parse_term(list.at(i),
                                path + (path.empty() ? "" : ".") + "nodeSelectorTerms[" + std::to_string(i) + "]"))
            terms.push_back(std::move(*t));
    return terms;
}

/// The terms of a PreferredSchedulingTerm list; those of weight 0 are left out unparsed.
inline std::vector<NodeTerm> parse_preferred(berth::Value list, const std::string &path) {
    std::vector<NodeTerm> terms;
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto weight = list.at(i)["weight"].integer().value_or(0);
        if (weight == 0) continue;
        auto t = parse_term(list.at(i)["preference"], path + "[" + std::to_string(i) + "]");
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

/// Whether a node of these labels (sorted by key) and this name keeps a term. Without a name fields are not looked at.
inline bool matches_term(const NodeTerm &term, std::span<const berth_label> labels,
                         std::optional<std::string_view> name) {
    if (!term.faults.empty()) return false;
    for (const auto &r : term.labels) {
        std::string_view value;
        if (!r.matches(berth::find_label(labels, r.key, value) ? std::optional(value) : std::nullopt)) return false;
    }
    return !name || std::all_of(term.fields.begin(), term.fields.end(), [&](const NodeRequirement &r) {
        return r.matches(r.key == "metadata.name" ? *name : std::string_view{});
    });
}

/// Columns of labels that requirements read.
class LabelColumns {
    std::vector<std::uint32_t> ids_;

public:
    const std::vector<std::uint32_t> &ids() const { return ids_; }
    std::uint32_t add(std::uint32_t id) {
        ids_.push_back(id);
        return static_cast<std::uint32_t>(ids_.size());
    }
    /// At create.
    void declare(std::vector<NodeTerm> &terms, const berth::Host &host) {
        for (auto &t : terms)
            for (auto &r : t.labels) r.place = add(host.column(BERTH_COLUMN_NODE_LABEL, r.key));
    }
};

/// In PreFilter or PreScore: finds the labels that no node has, to decide a requirement on them for all nodes at once.
/// Columns are valid for the current attempt.
class PresentLabels {
    const berth::Host &host_;
    berth::Nodes nodes_;
    LabelColumns &columns_;
    std::uint32_t absent_ = 0;

public:
    PresentLabels(const berth::Host &host, berth::Nodes nodes, LabelColumns &columns)
        : host_(host), nodes_(nodes), columns_(columns) {}

    /// Adds the requirement to `kept`, unless it says the same of every node; false if that is no.
    bool keep(const NodeRequirement &r, std::vector<NodeRequirement> &kept) {
        auto id = host_.column(BERTH_COLUMN_NODE_LABEL, r.key);
        if (id != absent_ && nodes_.column(id).absent()) absent_ = id;
        if (id == absent_) return r.matches(std::nullopt);
        kept.push_back(r);
        kept.back().place = columns_.add(id);
        return true;
    }
    /// The terms that a node may keep.
    std::vector<NodeTerm> keep(const std::vector<NodeTerm> &terms) {
        std::vector<NodeTerm> out;
        for (const auto &t : terms) {
            if (!t.faults.empty()) continue;
            NodeTerm one{{}, t.fields, {}, t.weight};
            if (std::all_of(t.labels.begin(), t.labels.end(), [&](const auto &r) { return keep(r, one.labels); }))
                out.push_back(std::move(one));
        }
        return out;
    }
};

/// Reads a node's labels for requirements: through columns where there are some.
class LabelReader {
    berth::Nodes nodes_;
    std::vector<berth::Column> columns_;
    std::uint32_t slot_ = BERTH_NO_SLOT;  // whose labels these are
    berth::Value labels_;

public:
    explicit LabelReader(berth::Nodes nodes) : nodes_(nodes) {}
    LabelReader(berth::Nodes nodes, const LabelColumns &columns) : nodes_(nodes) {
        columns_.reserve(columns.ids().size());
        for (auto id : columns.ids()) columns_.push_back(nodes.column(id));
    }

    /// Of the node object.
    berth::Value label(std::string_view key, std::uint32_t slot) {
        if (slot != slot_) labels_ = nodes_[slot].at("/metadata/labels");
        slot_ = slot;
        return labels_[key];
    }
    std::optional<std::string_view> label(const NodeRequirement &r, std::uint32_t slot) {
        if (r.place == 0) {
            auto v = label(std::string_view{r.key}, slot);
            return v.is_string() ? std::optional(v.string()) : std::nullopt;
        }
        const auto &c = columns_[r.place - 1];
        auto code = c.code(slot);
        if (!code) return std::nullopt;
        return berth::view(c.dict<berth_str>()[*code]);
    }

    bool matches(const NodeTerm &term, std::uint32_t slot) {
        if (!term.faults.empty()) return false;
        for (const auto &r : term.labels)
            if (!r.matches(label(r, slot))) return false;
        for (const auto &r : term.fields) {
            // A field that a node does not have reads as the empty string.
            std::string_view value = r.key == "metadata.name" ? nodes_[slot].name() : std::string_view{};
            if (!r.matches(value)) return false;
        }
        return true;
    }

    bool matches_any(const std::vector<NodeTerm> &terms, std::uint32_t slot) {
        return std::any_of(terms.begin(), terms.end(), [&](const NodeTerm &t) { return matches(t, slot); });
    }
};

}  // namespace kubernetes

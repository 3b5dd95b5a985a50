// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The match of node labels against requirements, through columns of labels.

#include <berth/node_selector.hpp>
#include <berth/plugin.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace kubernetes {

using berth::NodeTerm;
using berth::Requirement;

/// A requirement that may have a column to read its label from.
struct PlacedRequirement : Requirement {
    std::uint32_t place = 0;  ///< of the column among LabelColumns, from 1 on; 0: read the node's labels

    PlacedRequirement(Requirement r, std::uint32_t at) : Requirement(std::move(r)), place(at) {}
};

/// A term of such requirements that has no faults.
struct PlacedTerm {
    std::vector<PlacedRequirement> labels;
    std::vector<Requirement> fields;
    std::int64_t weight = 0;  ///< of a preferred term
};

/// The terms without faults, since no other matches; `place(requirement)` is that of each.
template <class Place>
std::vector<PlacedTerm> placed(const std::vector<NodeTerm> &terms, Place place) {
    std::vector<PlacedTerm> out;
    for (const auto &t : terms) {
        if (!t.faults.empty()) continue;
        auto &one = out.emplace_back(PlacedTerm{{}, t.fields, t.weight});
        for (const auto &r : t.labels) one.labels.emplace_back(r, place(r));
    }
    return out;
}

/// Columns of labels that requirements read.
class LabelColumns {
    std::vector<std::uint32_t> ids_;

public:
    const std::vector<std::uint32_t> &ids() const { return ids_; }
    /// The place of a column.
    std::uint32_t add(std::uint32_t id) {
        ids_.push_back(id);
        return static_cast<std::uint32_t>(ids_.size());
    }
    /// At create.
    std::vector<PlacedTerm> declare(const std::vector<NodeTerm> &terms, const berth::Host &host) {
        return placed(terms, [&](const Requirement &r) { return add(host.column(BERTH_COLUMN_NODE_LABEL, r.key)); });
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
    bool keep(const Requirement &r, std::vector<PlacedRequirement> &kept) {
        auto id = host_.column(BERTH_COLUMN_NODE_LABEL, r.key);
        if (id != absent_ && nodes_.column(id).absent()) absent_ = id;
        if (id == absent_) return r.matches(std::nullopt);
        kept.emplace_back(r, columns_.add(id));
        return true;
    }
    /// The terms that a node may keep.
    std::vector<PlacedTerm> keep(const std::vector<NodeTerm> &terms) {
        std::vector<PlacedTerm> out;
        for (const auto &t : terms) {
            if (!t.faults.empty()) continue;
            PlacedTerm one{{}, t.fields, t.weight};
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
    std::optional<std::string_view> label(const Requirement &r, std::uint32_t slot) {
        auto v = label(std::string_view{r.key}, slot);
        return v.is_string() ? std::optional(v.string()) : std::nullopt;
    }
    std::optional<std::string_view> label(const PlacedRequirement &r, std::uint32_t slot) {
        if (r.place == 0) return label(static_cast<const Requirement &>(r), slot);
        const auto &c = columns_[r.place - 1];
        auto code = c.code(slot);
        if (!code) return std::nullopt;
        return berth::view(c.dict<berth_str>()[*code]);
    }

    bool matches(const NodeTerm &term, std::uint32_t slot) { return term.faults.empty() && holds(term, slot); }
    bool matches(const PlacedTerm &term, std::uint32_t slot) { return holds(term, slot); }

    template <class Requirements>
    bool matches_all(const Requirements &requirements, std::uint32_t slot) {
        return std::ranges::all_of(requirements, [&](const auto &r) { return r.matches(label(r, slot)); });
    }
    template <class Term>
    bool matches_any(const std::vector<Term> &terms, std::uint32_t slot) {
        return std::any_of(terms.begin(), terms.end(), [&](const Term &t) { return matches(t, slot); });
    }

private:
    template <class Term>
    bool holds(const Term &term, std::uint32_t slot) {
        return matches_all(term.labels, slot) && std::ranges::all_of(term.fields, [&](const auto &r) {
                   return berth::matches_field(r, nodes_[slot].name());
               });
    }
};

}  // namespace kubernetes

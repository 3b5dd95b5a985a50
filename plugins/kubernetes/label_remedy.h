// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The labels that a node lacks for a pod's selectors, as remedies of `berth explain`.

#include "machine_facts.h"
#include "required_node_affinity.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kubernetes {

/// Which labels a node would have to have for a pod: the term of each selector that takes the fewest changes.
class LabelRemedy {
    using Labels = std::map<std::string, std::string, std::less<>>;
    using Requirements = std::vector<const Requirement *>;

    static constexpr std::size_t most_requirements = 64;  ///< of a pod; one that states more gets no remedy
    static constexpr std::size_t most_terms = 64;         ///< pairs of terms that are tried

    /// What has to hold together.
    struct Way {
        Requirements labels, fields;
    };
    std::vector<Way> ways_;

    static std::optional<std::string_view> find(const Labels &labels, std::string_view key) {
        auto at = labels.find(key);
        return at == labels.end() ? std::nullopt : std::optional<std::string_view>(at->second);
    }

    /// Values with which a requirement holds; "absent" is none of them.
    static std::vector<std::string> values_for(const Requirement &r) {
        using Op = Requirement::Op;
        using Limits = std::numeric_limits<std::int64_t>;
        switch (r.op) {
            case Op::In: return r.values;
            case Op::Exists: return {""};
            case Op::Gt:
                return r.bound == Limits::max() ? std::vector<std::string>{} : std::vector{std::to_string(r.bound + 1)};
            // A label's value has no sign.
            case Op::Lt: return r.bound <= 0 ? std::vector<std::string>{} : std::vector{std::to_string(r.bound - 1)};
            default: return {};
        }
    }

    /// Gives `labels` what `broken` wants, so that all requirements on the same label hold. False if nothing does.
    static bool mend(const Requirement &broken, const Requirements &all, Labels &labels) {
        if (is_fact_of_machine(broken.key)) return false;
        auto holds = [&](std::optional<std::string_view> value) {
            return std::ranges::all_of(all, [&](const auto *r) { return r->key != broken.key || r->matches(value); });
        };
        if (broken.matches(std::nullopt) && holds(std::nullopt)) {
            labels.erase(broken.key);
            return true;
        }
        auto take_first = [&](const Requirement &r) {
            for (const auto &value : values_for(r)) {
                if (!holds(value)) continue;
                labels[broken.key] = value;
                return true;
            }
            return false;
        };
        return take_first(broken) ||
               std::ranges::any_of(all, [&](const auto *r) { return r->key == broken.key && take_first(*r); });
    }

    static berth::Remedy changes(const Labels &before, const Labels &after) {
        berth::Remedy out;
        for (const auto &[key, value] : after)
            if (find(before, key) != std::string_view{value}) out.push_back(berth::Change::label(key, value));
        for (const auto &[key, value] : before)
            if (!after.contains(key)) out.push_back(berth::Change::no_label(key));
        return out;
    }

public:
    /// Whether the pod states so little that its nodes can be looked at one by one.
    template <class Pod>
    static bool is_small(const Pod &pod) {
        return RequiredNodeAffinity::size_of(pod) <= most_requirements;
    }

    /// `added`: terms that the arguments add; null: none. Both outlive it.
    LabelRemedy(const RequiredNodeAffinity &need, const std::vector<NodeTerm> *added) {
        const auto &own = need.terms ? *need.terms : any_term();
        const auto &enforced = added ? *added : any_term();
        for (const auto &a : enforced)
            for (const auto &b : own) {
                if (!a.faults.empty() || !b.faults.empty() || ways_.size() == most_terms) continue;
                auto &way = ways_.emplace_back();
                for (const auto &r : need.selector) way.labels.push_back(&r);
                for (const auto *term : {&a, &b}) {
                    for (const auto &r : term->labels) way.labels.push_back(&r);
                    for (const auto &r : term->fields) way.fields.push_back(&r);
                }
            }
    }

    /// Empty: no labels do.
    berth::Remedy of(berth::Node node) const {
        Labels before;
        auto stated = node.at("/metadata/labels");
        for (std::size_t i = 0; i < stated.size(); ++i) before.emplace(stated.key(i), stated.member(i).string());
        berth::Remedy best;
        for (const auto &way : ways_) {
            auto named = [&](const auto *r) { return berth::matches_field(*r, node.name()); };
            auto after = before;
            auto mended = [&](const auto *r) { return r->matches(find(after, r->key)) || mend(*r, way.labels, after); };
            if (!std::ranges::all_of(way.fields, named) || !std::ranges::all_of(way.labels, mended)) continue;
            auto remedy = changes(before, after);
            if (best.empty() || remedy.size() < best.size()) best = std::move(remedy);
        }
        return best;
    }

private:
    /// Terms of a selector that is not stated: a single one that holds everywhere.
    static const std::vector<NodeTerm> &any_term() {
        static const std::vector<NodeTerm> one(1);
        return one;
    }
};

}  // namespace kubernetes

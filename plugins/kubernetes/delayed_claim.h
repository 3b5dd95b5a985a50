// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Claims that are bound or provisioned once their pod has a node (WaitForFirstConsumer).

#include "label_selector.h"
#include "volume_table.h"

#include <algorithm>

namespace kubernetes {

/// A requirement of StorageClass.allowedTopologies: the node's label has one of the values.
struct TopologyRequirement {
    std::string key;
    std::vector<std::string> values;
};

/// The terms are ORed, the requirements of one ANDed; no term at all allows every node.
class AllowedTopologies {
    bool any_ = true;
    std::vector<std::vector<TopologyRequirement>> terms_;

public:
    static AllowedTopologies read(berth::Value list) {
        AllowedTopologies out;
        out.any_ = list.size() == 0;
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto expressions = list.at(i)["matchLabelExpressions"];
            std::vector<TopologyRequirement> term;
            bool valid = expressions.size() > 0;
            for (std::size_t k = 0; k < expressions.size(); ++k) {
                auto values = expressions.at(k)["values"];
                TopologyRequirement r{std::string(expressions.at(k)["key"].string()), {}};
                for (std::size_t v = 0; v < values.size(); ++v) r.values.emplace_back(values.at(v).string());
                valid = valid && berth::label_key_fault(r.key).empty() && !r.values.empty() &&
                        std::all_of(r.values.begin(), r.values.end(),
                                    [](const auto &text) { return berth::label_value_fault(text).empty(); });
                term.push_back(std::move(r));
            }
            if (valid) out.terms_.push_back(std::move(term));
        }
        return out;
    }
    bool match(Labels labels) const {
        auto holds = [&](const TopologyRequirement &r) {
            return berth::holds(berth::SelectionOperator::In, berth::find_label(labels, r.key), r.values);
        };
        return any_ || std::any_of(terms_.begin(), terms_.end(),
                                   [&](const auto &term) { return std::all_of(term.begin(), term.end(), holds); });
    }
};

/// Room for volumes of a class, on some nodes: a CSIStorageCapacity.
struct StoragePool {
    LabelSelector nodes;
    std::int64_t capacity = 0;
};

/// A claim that is bound, or gets its volume made, once its pod has a node; with all that does not depend on the node.
struct DelayedClaim {
    std::string name_space, name, uid, version, storage_class;
    berth::Quantity request;
    std::optional<std::string> node;  ///< where its volume is being made
    VolumePtr prebound;               ///< the volume that names this claim
    std::vector<VolumePtr> fits;      ///< free volumes that would do, the smallest first
    std::string fault;                ///< why no volume can be looked for
    bool provisionable = false;
    AllowedTopologies topologies;
    bool capacity_matters = false;
    std::vector<StoragePool> pools;  ///< with room for it

    /// The first that a node has, or null.
    const StoragePool *pool_on(Labels labels) const {
        auto at =
            std::find_if(pools.begin(), pools.end(), [&](const auto &pool) { return pool.nodes.matches(labels); });
        return at == pools.end() ? nullptr : &*at;
    }

    std::string key() const { return full_name(name_space, name); }

    /// Whether `ref` names this claim.
    bool named_by(const std::optional<ClaimRef> &ref) const {
        return ref && ref->name == name && ref->name_space == name_space && (ref->uid.empty() || ref->uid == uid);
    }
};

/// The rules of one claim that a volume must keep, whatever the node (component-helpers FindMatchingVolume).
class VolumeRules {
    const DelayedClaim &claim_;
    std::string_view mode_, attributes_class_;
    std::vector<std::string_view> access_;
    LabelSelector selector_ = LabelSelector::everything();

public:
    /// Throws upstream's text if Kubernetes refuses the claim's selector.
    VolumeRules(const DelayedClaim &claim, berth::Value spec)
        : claim_(claim), mode_(mode_of(spec)), attributes_class_(spec["volumeAttributesClassName"].string()) {
        auto modes = spec["accessModes"];
        for (std::size_t i = 0; i < modes.size(); ++i) access_.push_back(modes.at(i).string());
        if (auto s = spec["selector"]; !s.is_null()) selector_ = selector_of(s);
    }

    /// What prebound volumes must keep too. `ref` is the claim that the volume is meant for now.
    bool possible(const Volume &v, const std::optional<ClaimRef> &ref) const {
        return (!ref || claim_.named_by(ref)) && v.capacity >= claim_.request && v.mode == mode_ &&
               v.attributes_class == attributes_class_ && !v.deleted;
    }
    /// And what free ones must.
    bool suitable(const Volume &v) const {
        if (!v.available) return false;
        const auto label = [&](std::string_view key) {
            auto at = std::lower_bound(v.labels.begin(), v.labels.end(), key,
                                       [](const auto &l, std::string_view k) { return l.first < k; });
            return at == v.labels.end() || at->first != key ? std::nullopt
                                                            : std::optional<std::string_view>(at->second);
        };
        if (!selector_.matches_by(label)) return false;
        return std::all_of(access_.begin(), access_.end(), [&](std::string_view mode) {
            return std::find(v.access.begin(), v.access.end(), mode) != v.access.end();
        });
    }
};

}  // namespace kubernetes

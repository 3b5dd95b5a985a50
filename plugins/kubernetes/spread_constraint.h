// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One parsed constraint of topologySpreadConstraints.

#include "label_selector.h"

namespace kubernetes {

/// One constraint of topologySpreadConstraints.
struct SpreadConstraint {
    std::string key;  ///< topologyKey
    std::int64_t max_skew = 0, min_domains = 1;
    bool hard = false;            ///< DoNotSchedule
    bool honors_affinity = true;  ///< counts only nodes that the pod's node affinity admits
    bool honors_taints = false;   ///< counts only nodes whose taints the pod tolerates
    LabelSelector selector = LabelSelector::nothing();

    static constexpr std::string_view hostname = "kubernetes.io/hostname";

    /// Without its selector.
    static SpreadConstraint read(berth::Value v) {
        SpreadConstraint c;
        c.key = v["topologyKey"].string();
        c.max_skew = v["maxSkew"].integer().value_or(0);
        c.min_domains = v["minDomains"].integer().value_or(1);
        c.hard = v["whenUnsatisfiable"].string() == "DoNotSchedule";
        if (auto policy = v["nodeAffinityPolicy"]; !policy.is_null()) c.honors_affinity = policy.string() == "Honor";
        if (auto policy = v["nodeTaintsPolicy"]; !policy.is_null()) c.honors_taints = policy.string() == "Honor";
        return c;
    }

    /// The pod's own one that the list holds; nothing if it is of another kind. Throws if its selector cannot be
    /// parsed.
    static std::optional<SpreadConstraint> own(berth::Value v, std::span<const berth_label> labels, bool hard) {
        if (v["whenUnsatisfiable"].string() != (hard ? "DoNotSchedule" : "ScheduleAnyway")) return std::nullopt;
        auto c = read(v);
        c.selector = selector_of(v["labelSelector"]);
        auto keys = v["matchLabelKeys"];
        for (std::size_t k = 0; k < keys.size(); ++k) {
            const auto key = keys.at(k).string();
            if (const auto value = berth::find_label(labels, key)) c.selector.add(key, *value);
        }
        return c;
    }
    /// The pod's own ones of a kind. Throws if a selector cannot be parsed.
    static std::vector<SpreadConstraint> own_list(berth::Value list, std::span<const berth_label> labels, bool hard) {
        std::vector<SpreadConstraint> out;
        for (std::size_t i = 0; i < list.size(); ++i)
            if (auto c = own(list.at(i), labels, hard)) out.push_back(std::move(*c));
        return out;
    }
};

}  // namespace kubernetes

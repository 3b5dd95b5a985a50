// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The topology spread constraints of a pod: its own or the default ones.

#include "default_selector.h"
#include "spread_constraint.h"

#include <set>

namespace kubernetes {

/// What hints ask of a pod's own hard constraints for every event: whom they count, each once, and which keys they
/// name.
struct SpreadHints {
    std::vector<LabelSelector> selectors;
    std::vector<std::string> keys;           ///< sorted, each once
    bool honors_taints = false;              ///< one of them
    bool fault = false, soft_fault = false;  ///< a selector of a hard one, of a soft one, cannot be parsed

    static SpreadHints read(berth::Value list, std::span<const berth_label> labels) {
        SpreadHints out;
        std::set<std::string> seen;
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (bool hard : {true, false}) try {
                    if (auto c = SpreadConstraint::own(list.at(i), labels, hard); c && hard)
                        out.take(std::move(*c), seen);
                } catch (const std::runtime_error &) {
                    (hard ? out.fault : out.soft_fault) = true;
                }
        }
        std::sort(out.keys.begin(), out.keys.end());
        out.keys.erase(std::unique(out.keys.begin(), out.keys.end()), out.keys.end());
        out.keys.shrink_to_fit();
        out.selectors.shrink_to_fit();
        return out;
    }
    void take(SpreadConstraint c, std::set<std::string> &seen) {
        honors_taints = honors_taints || c.honors_taints;
        keys.push_back(std::move(c.key));
        std::string text;
        write(c.selector, text);
        if (seen.insert(std::move(text)).second) selectors.push_back(std::move(c.selector));
    }
};

/// The constraints that hold for a pod: its own ones or, where it has none, the default ones.
class SpreadConstraints {
    using Constraints = std::vector<SpreadConstraint>;

    const berth::Host &host_;
    Constraints defaults_;
    bool system_defaults_;
    std::optional<DefaultSelector> default_selector_;

    static berth::Value own_list(berth::Pod pod) { return pod.at("/spec/topologySpreadConstraints"); }

    /// A pod that has more constraints is not read anew for every event, and no further than need be.
    static constexpr std::size_t many = 64;
    bool has_many(berth::Pod pod) const { return own_list(pod).size() > many; }
    const SpreadHints &hints_of(berth::Pod pod) const { return host_.prepared<SpreadHints>(pod.raw()->obj); }

    /// The pod's own ones. Of very many only those up to the first whose key no node has: no node is looked at beyond
    /// it.
    Constraints own_of(berth::Pod pod, bool hard, const berth::Nodes *nodes) const {
        auto list = own_list(pod);
        if (!nodes || !has_many(pod) || (hard ? hints_of(pod).fault : hints_of(pod).soft_fault))
            return SpreadConstraint::own_list(list, pod.labels(), hard);
        Constraints out;
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto c = SpreadConstraint::own(list.at(i), pod.labels(), hard);
            if (!c) continue;
            out.push_back(std::move(*c));
            if (nodes->column(host_.column(BERTH_COLUMN_NODE_LABEL, out.back().key)).absent()) break;
        }
        return out;
    }

    /// The hard constraints as hints ask them; of default ones the selector may change with every Service.
    SpreadHints hints_now(berth::Pod pod) {
        SpreadHints out;
        std::set<std::string> seen;
        try {
            for (auto &c : of(pod, true)) out.take(std::move(c), seen);
        } catch (const std::runtime_error &) {
            out.fault = true;
        }
        return out;
    }

public:
    SpreadConstraints(berth::Args args, const berth::Host &host)
        : host_(host), system_defaults_(args.string("defaultingType", "System") == "System") {
        auto add = [&](const char *key, std::int64_t skew) {
            auto &c = defaults_.emplace_back();
            c.key = key;
            c.max_skew = skew;
        };
        if (system_defaults_) {
            add("kubernetes.io/hostname", 3);
            add("topology.kubernetes.io/zone", 5);
        } else {
            auto list = args["defaultConstraints"];
            for (std::size_t i = 0; i < list.size(); ++i) defaults_.push_back(SpreadConstraint::read(list.at(i)));
        }
        if (!defaults_.empty()) default_selector_.emplace(host);
    }
    void declare(berth::Declare d) const {
        if (default_selector_) DefaultSelector::declare(d);
    }
    static SpreadHints prepare(berth::Object pod) {
        return SpreadHints::read(pod.at("/spec/topologySpreadConstraints"), pod.labels());
    }

    /// Those of the pod are the defaults that kube-scheduler has for every cluster.
    bool are_system_defaults(berth::Pod pod) const { return system_defaults_ && own_list(pod).size() == 0; }

    /// The pod's constraints of a kind, or the default ones. Throws if a selector cannot be parsed.
    Constraints of(berth::Pod pod, bool hard, const berth::Nodes *nodes = nullptr) {
        if (own_list(pod).size() > 0) {
            try {
                return own_of(pod, hard, nodes);
            } catch (const std::runtime_error &e) {
                throw std::runtime_error(std::string("obtaining pod's ") + (hard ? "hard" : "soft") +
                                         " topology spread constraints: " + e.what());
            }
        }
        Constraints out;
        for (const auto &c : defaults_)
            if (c.hard == hard) out.push_back(c);
        if (out.empty()) return out;
        const auto &selector = default_selector_->of(pod);
        if (selector.empty()) return {};
        for (auto &c : out) c.selector = selector;
        return out;
    }
    /// What hints ask. Of default ones it is computed, and kept in `defaults`.
    const SpreadHints &hints(berth::Pod pod, std::optional<SpreadHints> &defaults) {
        return own_list(pod).size() == 0 ? defaults.emplace(hints_now(pod)) : hints_of(pod);
    }
};

}  // namespace kubernetes

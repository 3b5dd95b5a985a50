// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The inventory of ResourceSlices by pool and node, with DeviceTaintRules and the release's rules.

#include "rules.h"
#include "slice.h"
#include "taint_rule.h"

#include "../text_hash.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace kubernetes::devices {

using SlicePtr = std::shared_ptr<const Slice>;

/// The ResourceSlices of a cluster in a fixed order, found by pool and by node, with the DeviceTaintRules about them,
/// and how a release allocates from them.
class Inventory {
    Rules rules_;
    std::vector<SlicePtr> slices_;
    TaintRules taint_rules_;
    std::unordered_map<std::string, std::vector<const Slice *>, TextHash, std::equal_to<>> by_pool_, by_node_;
    std::vector<const Slice *> shared_;

    static const std::vector<const Slice *> &none() {
        static const std::vector<const Slice *> empty;
        return empty;
    }

public:
    Inventory(const Inventory &) = delete;
    Inventory &operator=(const Inventory &) = delete;
    Inventory(std::vector<SlicePtr> slices, Rules rules, TaintRules taint_rules = {})
        : rules_(rules), slices_(std::move(slices)), taint_rules_(std::move(taint_rules)) {
        for (const auto &s : slices_) {
            by_pool_[pool_id(s->driver, s->pool)].push_back(s.get());
            if (!usable(*s)) continue;
            const bool everywhere = !rules_.counter_slices_follow_node && !s->shared_counters.empty();
            if (s->nodes.on_one_node() && !everywhere) by_node_[*s->nodes.node_name].push_back(s.get());
            else shared_.push_back(s.get());
        }
    }

    const Rules &rules() const { return rules_; }
    /// False: a pool lacks this slice, although the cluster has it.
    bool usable(const Slice &slice) const { return !rules_.compatibility_groups_refuse || !slice.compatibility_groups; }

    static std::string pool_id(std::string_view driver, std::string_view pool) {
        return std::string(driver).append("\n").append(pool);
    }

    /// Whether one of the device's taints, its own or a rule's, is as `is` wants it.
    template <class Is>
    bool any_taint(const Slice &slice, const Device &device, Is &&is) const {
        return std::any_of(device.taints.begin(), device.taints.end(), is) || taint_rules_.any_taint(slice, device, is);
    }

    const std::vector<SlicePtr> &all() const { return slices_; }
    const std::vector<const Slice *> &of_pool(std::string_view driver, std::string_view pool) const {
        auto at = by_pool_.find(pool_id(driver, pool));
        return at == by_pool_.end() ? none() : at->second;
    }
    /// Those that may reach a node: the ones that name it, then the ones that name no node.
    std::vector<const Slice *> candidates(std::string_view node) const {
        auto at = by_node_.find(node);
        auto out = at == by_node_.end() ? none() : at->second;
        out.insert(out.end(), shared_.begin(), shared_.end());
        return out;
    }
};

}  // namespace kubernetes::devices

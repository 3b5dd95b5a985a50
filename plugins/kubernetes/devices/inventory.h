// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The inventory of ResourceSlices by pool and node, with DeviceTaintRules and the release's rules.

#include "rules.h"
#include "slice.h"
#include "taint_rule.h"

#include "../text_hash.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
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
    bool nodes_are_independent_ = true;

    /// A search takes the stock of counters of a pool from the first node that it comes to.
    bool some_share_stock() const {
        struct Stock {
            bool counts = false;
            std::optional<std::string_view> node = {};  ///< of its devices
            bool of_nodes = false;                      ///< of more than one
        };
        std::map<std::string, Stock> stocks;
        for (const auto &s : slices_) {
            auto &stock = stocks[rules_.counters_by_driver ? pool_id(s->driver, s->pool) : s->pool];
            stock.counts =
                stock.counts || !s->shared_counters.empty() ||
                std::any_of(s->devices.begin(), s->devices.end(), [](const auto &d) { return !d.consumes.empty(); });
            if (s->devices.empty() || !s->nodes.on_one_node()) continue;
            stock.of_nodes = stock.of_nodes || stock.node.value_or(*s->nodes.node_name) != *s->nodes.node_name;
            stock.node = *s->nodes.node_name;
        }
        return std::any_of(stocks.begin(), stocks.end(),
                           [](const auto &one) { return one.second.counts && one.second.of_nodes; });
    }

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
            const bool by_labels = !everywhere && !s->nodes.on_one_node() && !s->nodes.selector.is_null();
            if (by_labels || s->per_device_nodes || (!s->devices.empty() && !s->nodes.on_one_node()))
                nodes_are_independent_ = false;
        }
        if (some_share_stock()) nodes_are_independent_ = false;
    }

    const Rules &rules() const { return rules_; }
    /// Whether the devices that a search finds on a node depend on nothing but the node's name, these slices and the
    /// uses of devices in pools of slices that name the node: every device is on one node.
    bool nodes_are_independent() const { return nodes_are_independent_; }
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The nodes that count for a pod's spread constraints, by keys, node affinity and taints.

#include "required_node_affinity.h"
#include "spread_constraint.h"
#include "topology.h"

#include <berth/toleration.hpp>

namespace kubernetes {

/// Which nodes count for the constraints of a pod: those that have all keys, and of these the ones that the pod's node
/// affinity admits, or whose taints it tolerates, where a constraint honors that.
class SpreadNodes {
    using Keys = std::span<const std::shared_ptr<const TopologyKey>>;

    static constexpr std::uint8_t has_keys = 1, fits_affinity = 2, fits_taints = 4;
    std::shared_ptr<const std::vector<std::uint8_t>> bits_;  // by slot; null: all count

public:
    /// All of them.
    SpreadNodes() = default;

    /// `taints`: the code of the column of nodes' taints; `needed`: the keys that a node must have to count.
    static SpreadNodes of(berth::Pod pod, const berth::Host &host, berth::Nodes nodes, std::uint32_t taints,
                          const std::vector<SpreadConstraint> &constraints, Keys needed) {
        SpreadNodes out;
        if (have_no_node(needed)) {
            out.bits_ = std::make_shared<std::vector<std::uint8_t>>(nodes.slots());
            return out;
        }
        auto any = [&](auto what) { return std::any_of(constraints.begin(), constraints.end(), what); };
        RequiredNodeAffinity stated;
        if (any([](const auto &c) { return c.honors_affinity; })) stated = RequiredNodeAffinity::read(pod);
        const bool by_taints = any([](const auto &c) { return c.honors_taints; });
        const bool by_keys =
            std::any_of(needed.begin(), needed.end(), [&](const auto &key) { return key->nodes_with < nodes.count(); });
        if (stated.none() && !by_taints && !by_keys) return out;
        const RequiredOfNodes affinity(stated, host, nodes);
        LabelReader labels{nodes, affinity.columns};
        auto column = nodes.column(taints);
        auto dict = column.dict<berth_taint>();
        std::vector<std::uint8_t> untolerated(by_taints ? dict.size() : 0);
        for (std::size_t i = 0; i < untolerated.size(); ++i)
            untolerated[i] = berth::keeps_away(dict[i]) && !berth::tolerated(pod.tolerations(), dict[i]);
        auto bits = std::make_shared<std::vector<std::uint8_t>>(nodes.slots());
        for (auto slot : nodes.order()) {
            auto &b = (*bits)[slot];
            if (std::all_of(needed.begin(), needed.end(),
                            [&](const auto &key) { return key->of(slot) != TopologyKey::none; }))
                b |= has_keys;
            if (affinity.matches(labels, slot)) b |= fits_affinity;
            auto codes = column.codes(slot);
            if (!by_taints ||
                std::none_of(codes.begin(), codes.end(), [&](auto code) { return untolerated[code] != 0; }))
                b |= fits_taints;
        }
        out.bits_ = std::move(bits);
        return out;
    }

    /// One of the keys is a label of no node.
    static bool have_no_node(Keys keys) {
        return std::find(keys.begin(), keys.end(), Topology::nowhere()) != keys.end();
    }

    bool all() const { return !bits_; }
    bool count(std::uint32_t slot, const SpreadConstraint &c) const {
        if (!bits_) return true;
        const auto bits = (*bits_)[slot];
        return (bits & has_keys) && (!c.honors_affinity || (bits & fits_affinity)) &&
               (!c.honors_taints || (bits & fits_taints));
    }
};

}  // namespace kubernetes

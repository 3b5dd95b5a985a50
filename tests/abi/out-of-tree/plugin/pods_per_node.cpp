// SPDX-License-Identifier: Apache-2.0
#include <berth/plugin.hpp>

class PodsPerNode {
    std::uint32_t max_;

public:
    static void default_args(berth::ArgsReader &args) { args.integer("max", 110, 1, 1000); }
    explicit PodsPerNode(berth::Args args) : max_(args.integer("max", 110)) {}
    berth::Verdict filter(berth::Pod, berth::Node node) const {
        if (node.pods() >= max_) return berth::unschedulable("node(s) reached the maximum of PodsPerNode");
        return berth::ok;
    }
};

BERTH_PLUGIN(PodsPerNode, "PodsPerNode", "1.0.0")

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin NodeName: the node of spec.nodeName.

#include <berth/plugin.hpp>

namespace kubernetes {

/// PreFilter, Filter: a pod that names its node fits no other.
class NodeName {
public:
    static constexpr const char *description = "Keeps a pod that names its node off all others";

    berth::Verdict pre_filter(berth::Call, berth::State, berth::Pod pod, berth::Nodes, berth::Restrict restrict) const {
        const auto wanted = berth::to_str(pod.node_name());
        if (wanted.len > 0) restrict.names({&wanted, 1});
        return berth::ok;
    }

    void filter(berth::Call call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        auto wanted = pod.node_name();
        for (std::size_t i : call.each(slots)) {
            if (wanted.empty() || nodes[slots[i]].name() == wanted) out.accept(i);
            else
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE,
                           call.reason("node(s) didn't match the requested node name"));
        }
    }

    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        signature.add(pod.node_name());
        return true;
    }

    void events(berth::Events on) const { on.add("Node", BERTH_EVENT_ADD); }
};

}  // namespace kubernetes

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin NodeUnschedulable: cordoned nodes.

#include "cordon_taint.h"
#include "own_update.h"

#include <berth/toleration.hpp>

namespace kubernetes {

/// Filter: no pods for a cordoned node (spec.unschedulable), unless the pod tolerates the taint of that meaning.
class NodeUnschedulable {
    Rules rules_;

    static bool tolerates_cordon(berth::Pod pod) { return berth::tolerated(pod.tolerations(), cordon_taint); }

public:
    static constexpr const char *description = "Keeps pods off nodes that are marked unschedulable";

    explicit NodeUnschedulable(const berth::Host &host) : rules_(host) {}

    /// That it is called is all that it does: upstream has something to skip here for pods that wait for a resize.
    berth::Verdict pre_filter(berth::Pod) const { return berth::ok; }

    void filter(berth::Call call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        const auto *flags = nodes.raw()->node_flags;
        bool tolerant = tolerates_cordon(pod);
        std::uint32_t why = BERTH_NO_REASONS;
        for (std::size_t i : call.each(slots)) {
            if (tolerant || !(flags[slots[i]] & BERTH_FLAG_NODE_UNSCHEDULABLE)) {
                out.accept(i);
                continue;
            }
            if (why == BERTH_NO_REASONS) why = call.reason("node(s) were unschedulable");
            out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, why);
        }
    }

    berth::Remedy remedy(berth::Pod, berth::Node) const { return {berth::Change::uncordon()}; }

    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        signature.add(tolerates_cordon(pod));
        return true;
    }

    void events(berth::Events on) const {
        on.add_hinted("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_TAINT);
        on.add_hinted("Pod", BERTH_EVENT_UPDATE_POD_TOLERATION);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        if (event.resource() == "Node") {
            auto before = event.old_node(), after = event.new_node();
            bool opened = after && !after->unschedulable() && (!before || before->unschedulable());
            return opened ? berth::Hint::Queue : berth::Hint::Skip;
        }
        auto changed = own_update(event, pod, rules_);
        bool helps = changed && tolerates_cordon(*changed);
        return helps ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace kubernetes

// SPDX-License-Identifier: Apache-2.0
/// One rule, room for a pod and its cpu, in the two forms of Filter.
#include <berth/plugin.hpp>

namespace {

constexpr const char full[] = "node(s) had no room";

struct ByBatch {
    void filter(berth::Call call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        const auto *n = nodes.raw();
        const auto cpu = pod.requests().cpu;
        auto reason = BERTH_NO_REASONS;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (i % 64 == 63 && call.cancelled()) return;
            const auto slot = slots[i];
            if (n->pod_count[slot] < n->allocatable_pods[slot] &&
                n->requested_cpu[slot] + cpu <= n->allocatable_cpu[slot]) {
                out.accept(i);
                continue;
            }
            if (reason == BERTH_NO_REASONS) reason = call.reason(full);
            out.reject(i, BERTH_STATUS_UNSCHEDULABLE, reason);
        }
    }
};

struct ByNode {
    berth::Verdict filter(berth::Pod pod, berth::Node node) const {
        if (node.pods() < node.allocatable_pods() &&
            node.requested_cpu() + pod.requests().cpu <= node.allocatable_cpu())
            return berth::ok;
        return berth::unschedulable(full);
    }
};

}  // namespace

BERTH_PLUGINS(berth::entry<ByBatch>("ByBatch", "1.0.0"), berth::entry<ByNode>("ByNode", "1.0.0"))

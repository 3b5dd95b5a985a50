// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin TaintToleration: taints and tolerations, in Filter and Score.

#include "cordon_taint.h"
#include "machine_facts.h"
#include "own_update.h"

#include <berth/toleration.hpp>

#include <stdexcept>

namespace kubernetes {

/// Filter: taints NoSchedule and NoExecute must be tolerated. Score: the fewer untolerated PreferNoSchedule taints, the
/// better.
class TaintToleration {
    struct Preferring {};  // that PreScore ran: upstream's Score fails without its state
    std::uint32_t taints_;
    Rules rules_;
    berth::StateKey<Preferring> state_;

    /// For each taint of the dictionary: does it count against the pod?
    template <class Rule>
    static std::span<std::uint8_t> judge(berth::Call call, const berth::Column &taints, Rule rule) {
        auto dict = taints.dict<berth_taint>();
        auto table = call.scratch<std::uint8_t>(dict.size());
        for (std::size_t i = 0; i < dict.size(); ++i) table[i] = rule(dict[i]) ? 1 : 0;
        return table;
    }

    bool untolerated(berth::Nodes one_node, berth::Pod pod) const {
        auto taints = one_node.column(taints_);
        auto dict = taints.dict<berth_taint>();
        auto codes = taints.codes(0);
        return std::any_of(codes.begin(), codes.end(), [&](std::uint32_t code) {
            return berth::keeps_away(dict[code]) && !berth::tolerated(pod.tolerations(), dict[code]);
        });
    }

public:
    static constexpr const char *description = "Honours taints and tolerations";
    static constexpr berth::Normalize normalize = berth::Normalize::Reverse;

    explicit TaintToleration(const berth::Host &host)
        : taints_(host.column(BERTH_COLUMN_NODE_TAINTS)),
          rules_(host),
          state_(host.state_key<Preferring>("PreScoreTaintToleration")) {}

    /// As NodeUnschedulable's.
    berth::Verdict pre_filter(berth::Pod) const { return berth::ok; }

    void filter(berth::Call call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        auto taints = nodes.column(taints_);
        auto bad = judge(call, taints, [&](const berth_taint &t) {
            return berth::keeps_away(t) && !berth::tolerated(pod.tolerations(), t);
        });
        std::uint32_t why = BERTH_NO_REASONS;
        for (std::size_t i : call.each(slots)) {
            auto codes = taints.codes(slots[i]);
            if (std::none_of(codes.begin(), codes.end(), [&](std::uint32_t c) { return bad[c] != 0; })) {
                out.accept(i);
                continue;
            }
            if (why == BERTH_NO_REASONS) why = call.reason("node(s) had untolerated taint(s)");
            out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, why);
        }
    }

    void remedy(berth::Call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Remedies out) const {
        auto taints = nodes.column(taints_);
        auto dict = taints.dict<berth_taint>();
        for (std::size_t i = 0; i < slots.size(); ++i) {
            berth::Remedy remedy;
            bool tolerable = true;
            for (auto code : taints.codes(slots[i])) {
                const auto &taint = dict[code];
                if (!berth::keeps_away(taint) || berth::tolerated(pod.tolerations(), taint)) continue;
                // It goes with the node's cordon.
                const bool of_cordon =
                    berth::view(taint.key) == berth::view(cordon_taint.key) && nodes[slots[i]].unschedulable();
                tolerable = tolerable && (of_cordon || !is_state_of_node(berth::view(taint.key)));
                remedy.push_back(of_cordon ? berth::Change::uncordon() : berth::Change::toleration(taint));
            }
            if (tolerable) out.add(i, remedy);
        }
    }

    berth::Verdict pre_score(berth::Call, berth::State state, berth::Pod, berth::Nodes, berth::Slots) const {
        state.put(state_, Preferring{});
        return berth::ok;
    }

    void score(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        if (!state.get(state_))
            throw std::runtime_error("failed to read \"PreScoreTaintToleration\" from cycleState: not found");
        auto taints = nodes.column(taints_);
        auto bad = judge(call, taints, [&](const berth_taint &t) {
            return berth::view(t.effect) == "PreferNoSchedule" && !berth::tolerated(pod.tolerations(), t);
        });
        for (std::size_t i : call.each(slots)) {
            auto codes = taints.codes(slots[i]);
            out[i] = std::count_if(codes.begin(), codes.end(), [&](std::uint32_t c) { return bad[c] != 0; });
        }
    }

    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        for (const auto &toleration : pod.tolerations()) signature.add(toleration);
        return true;
    }

    void events(berth::Events on) const {
        on.add_hinted("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_TAINT);
        on.add_hinted("Pod", BERTH_EVENT_UPDATE_POD_TOLERATION);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        if (event.resource() == "Node") {
            auto before = event.old_nodes(), after = event.new_nodes();
            bool helps = after && !untolerated(*after, pod) && (!before || untolerated(*before, pod));
            return helps ? berth::Hint::Queue : berth::Hint::Skip;
        }
        return own_update(event, pod, rules_) ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace kubernetes

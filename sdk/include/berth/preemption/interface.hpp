// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the author of a preemption chooses (upstream: preemption.Interface), with Kubernetes' choices as the defaults.

#include <berth/preemption/candidate.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace berth::preemption {

/// The pod that fits no node, with the arguments of the PostFilter call about it.
struct Preemptor {
    const Host &host;
    Call call;
    State state;
    Pod pod;
    Nodes nodes;
    Outcome outcome;
};

/// All texts of a verdict as one.
inline std::string text_of(const Verdict &verdict) {
    if (verdict.list().empty()) return std::string(verdict.first().text());
    std::string text;
    for (const auto &t : verdict.list()) text += (text.empty() ? "" : ", ") + t;
    return text;
}

/// A trial of one node, and the pods that may be evicted from it: the most important one first, each by its index. A
/// victim is chosen by that index, so it is always a pod of this node that may be evicted.
class NodeTrial {
    const Preemptor &preemptor_;
    std::uint32_t slot_;
    std::span<PotentialVictim> potential_;
    Trial trial_;

    PotentialVictim &at(std::size_t i) const {
        if (i < potential_.size()) return potential_[i];
        throw std::out_of_range("there is no potential victim " + std::to_string(i) + " among " +
                                std::to_string(potential_.size()));
    }
    /// AddPod and RemovePod never reject a node: whatever else they answer is an error.
    static Verdict changed(const Verdict &verdict, const PotentialVictim &victim, const char *otherwise) {
        if (verdict.code() == BERTH_STATUS_SUCCESS) return ok;
        auto text = text_of(verdict);
        if (text.empty() && verdict.code() == BERTH_STATUS_INVALID)
            text = "pod " + std::string(victim.pod.name_space()) + "/" + std::string(victim.pod.name()) + otherwise;
        return error(text);
    }

public:
    /// Throws if the host opens no trial of that node.
    NodeTrial(const Preemptor &preemptor, std::uint32_t slot, std::span<PotentialVictim> potential)
        : preemptor_(preemptor),
          slot_(slot),
          potential_(potential),
          trial_(preemptor.host, preemptor.call.raw(), preemptor.state.raw(), preemptor.pod.raw(),
                 preemptor.nodes.raw(), slot) {}

    const Preemptor &preemptor() const { return preemptor_; }
    Node node() const { return preemptor_.nodes[slot_]; }
    std::span<const PotentialVictim> potential() const { return potential_; }
    /// The trial's copy of the CycleState, where the plugin's own AddPod and RemovePod keep their data. A draft.
    State state() const { return trial_.state(); }
    /// Takes that pod off the node, or puts it back. An answer other than ok is an error.
    Verdict remove(std::size_t i) const {
        const auto &victim = at(i);
        return changed(trial_.remove_pod(victim.row), victim, " is not on the node in this trial");
    }
    Verdict add(std::size_t i) const {
        const auto &victim = at(i);
        return changed(trial_.add_pod(victim.row), victim, " was not taken off the node in this trial");
    }
    /// Whether the Filter plugins accept the node as it is in the trial.
    Verdict filter() const { return trial_.filter(); }
    /// That pod is a victim.
    void evict(std::size_t i) const { at(i).chosen = true; }
};

/// How many nodes are tried.
struct OffsetAndNumCandidates {
    std::size_t offset = 0, num_candidates = 0;
};

/// A number for a candidate: the higher, the better.
using ScoreFunc = std::function<std::int64_t(const Nodes &, const Candidate &)>;

/// Override what is to be chosen otherwise. Called on the loop, within PostFilter. What a function throws is an error:
/// that of the node if it is about one, else that of the attempt.
class Interface {
public:
    // kube-scheduler's arguments of these names.
    std::int64_t min_candidate_nodes_percentage = 10, min_candidate_nodes_absolute = 100;

    virtual ~Interface() = default;

    /// Why the pod may not preempt, or "".
    virtual std::string pod_eligible_to_preempt_others(const Preemptor &p) {
        if (p.pod.at("/spec/preemptionPolicy").string() == "Never")
            return "not eligible due to preemptionPolicy=Never.";
        if (p.pod.nominated_node().empty()) return {};
        auto slot = p.nodes.find(p.pod.nominated_node());
        if (!slot || p.outcome.code(*slot) == BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE) return {};
        auto pods = p.nodes.pods();
        for (std::uint32_t row : pods.on(*slot))
            if (is_eligible_pod(p, pods, row) && leaving(pods, row))
                return "not eligible due to a terminating pod on the nominated node.";
        return {};
    }

    /// With which of the `num_nodes` to begin, and how many candidates are enough. No more than there are are tried.
    virtual OffsetAndNumCandidates offset_and_num_candidates(const Preemptor &p, std::size_t num_nodes) {
        const auto part = static_cast<std::int64_t>(num_nodes) * min_candidate_nodes_percentage / 100;
        const auto enough = std::min(num_nodes, static_cast<std::size_t>(std::max(part, min_candidate_nodes_absolute)));
        // With all of them to be tried it does not matter where to begin.
        return {enough < num_nodes ? p.host.random(p.call.raw(), 0) % num_nodes : 0, enough};
    }

    /// Whether the pod of that row may be evicted for the preemptor.
    virtual bool is_eligible_pod(const Preemptor &p, const PlacedPods &pods, std::uint32_t row) {
        return pods.priority(row) < p.pod.priority();
    }

    /// Whether `a` stays rather than `b`. A strict weak ordering.
    virtual bool more_important_pod(const PotentialVictim &a, const PotentialVictim &b) { return a < b; }

    /// Whether the pod may have the node as it is in the trial. Only select_victims_on_node calls this.
    virtual Verdict feasible(const NodeTrial &node) { return node.filter(); }

    /// Chooses the victims by NodeTrial::evict, at least one, and answers ok; or why the node is no candidate. By
    /// default: all potential victims leave, then those stay that can, first of those that a budget protects.
    virtual Verdict select_victims_on_node(const NodeTrial &node) {
        const auto potential = node.potential();
        for (std::size_t i = 0; i < potential.size(); ++i)
            if (auto removed = node.remove(i); removed.code() != BERTH_STATUS_SUCCESS) return removed;
        if (auto fits = feasible(node); fits.code() != BERTH_STATUS_SUCCESS) return fits;
        for (bool protected_ones : {true, false}) {
            for (std::size_t i = 0; i < potential.size(); ++i) {
                if (potential[i].violates != protected_ones) continue;
                if (auto added = node.add(i); added.code() != BERTH_STATUS_SUCCESS) return added;
                if (feasible(node).code() == BERTH_STATUS_SUCCESS) continue;
                if (auto removed = node.remove(i); removed.code() != BERTH_STATUS_SUCCESS) return removed;
                node.evict(i);
            }
        }
        return ok;
    }

    /// How the best candidate is found: the first function decides, of equal candidates the second one, and so on; of
    /// candidates that are equal to all, the first. None: Kubernetes' order.
    virtual std::vector<ScoreFunc> ordered_score_funcs() { return {}; }

    /// Why these victims, in one line for people; "": as Kubernetes chooses. See Nomination::victims.
    virtual std::string reason(const Candidate &) { return {}; }

private:
    /// Whether a preemption has already deleted the pod.
    static bool leaving(const PlacedPods &pods, std::uint32_t row) {
        if (!pods.terminating(row)) return false;
        auto conditions = pods[row].at("/status/conditions");
        for (std::size_t i = 0; i < conditions.size(); ++i)
            if (conditions.at(i)["type"].string() == "DisruptionTarget")
                return conditions.at(i)["status"].string() == "True" &&
                       conditions.at(i)["reason"].string() == "PreemptionByScheduler";
        return false;
    }
};

}  // namespace berth::preemption

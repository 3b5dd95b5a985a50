// SPDX-License-Identifier: Apache-2.0

/// Tonnage: each fleet (the label fleet) has a guaranteed number of CPUs and borrows what others leave unused. When a
/// pod fits nowhere and its fleet stays within its guarantee, PostFilter takes CPU back from the fleets beyond theirs,
/// whatever the priority of their pods, and no more than they borrow. (Upstream: CapacityScheduling.)

#include <berth/preemption_evaluator.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using namespace berth::preemption;
using Cpu = std::map<std::string, std::int64_t, std::less<>>;  // by fleet, in milli-CPU

std::string fleet(berth::Pod pod) { return std::string(pod.label("fleet").value_or("")); }

/// The choices that differ from Kubernetes' own.
struct Choices : Interface {
    Cpu guaranteed;
    berth::StateKey<Cpu> used;  // what PreFilter counted

    Choices(berth::Value all, berth::StateKey<Cpu> key) : used(key) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto cpus = all.member(i).integer();
            if (!cpus || *cpus < 0 || *cpus > 1'000'000)
                throw std::invalid_argument("guaranteed: expected CPUs by fleet, at most 1000000, as in {north: 3}");
            guaranteed[std::string(all.key(i))] = *cpus * 1000;
        }
    }
    static std::int64_t of(const Cpu &cpu, const std::string &name) { return cpu.contains(name) ? cpu.at(name) : 0; }
    /// Whether the pod's fleet keeps what is guaranteed to it without the pod.
    bool borrows(const Cpu &now, berth::Pod pod) const {
        const auto name = fleet(pod);
        return guaranteed.contains(name) && of(now, name) - pod.requests().cpu >= guaranteed.at(name);
    }
    std::string pod_eligible_to_preempt_others(const Preemptor &p) override {
        const auto *counted = p.state.get(used);
        if (!counted || of(*counted, fleet(p.pod)) + p.pod.requests().cpu > of(guaranteed, fleet(p.pod)))
            return "its fleet would be beyond its tonnage";
        return Interface::pod_eligible_to_preempt_others(p);
    }
    bool is_eligible_pod(const Preemptor &p, const berth::PlacedPods &pods, std::uint32_t row) override {
        return fleet(pods[row]) != fleet(p.pod) && borrows(p.state.need(used), pods[row]);
    }
    berth::Verdict select_victims_on_node(const NodeTrial &node) override {
        const auto potential = node.potential();
        for (std::size_t i = potential.size(); i-- > 0;) {  // the least important one first
            // In the trial's copy of the state, RemovePod has subtracted the pods that left.
            if (!borrows(*node.state().get(used), potential[i].pod)) continue;
            if (auto removed = node.remove(i); removed.code() != BERTH_STATUS_SUCCESS) return removed;
            node.evict(i);
            if (node.filter().code() == BERTH_STATUS_SUCCESS) return berth::ok;
        }
        return berth::unschedulable("node(s) without enough borrowed CPU");
    }
    std::string reason(const Candidate &) override { return "beyond their fleet's tonnage"; }
};

class Tonnage {
    berth::StateKey<Cpu> used_;
    Evaluator<Choices> evaluator_;

public:
    static constexpr const char *description = "Takes CPU back from fleets that use more than is guaranteed to them";
    static constexpr auto watches = berth::preemption::watches;
    static constexpr auto writes = berth::preemption::writes;

    Tonnage(berth::Args args, const berth::Host &host)
        : used_(host.state_key<Cpu>("Tonnage")), evaluator_(host, "Tonnage", {args["guaranteed"], used_}, "tonnage") {}

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod, berth::Nodes nodes) const {
        Cpu used;
        const auto pods = nodes.pods();
        for (std::uint32_t row = 0; row < pods.rows(); ++row)
            if (pods.exists(row) && !pods.terminating(row)) used[fleet(pods[row])] += pods[row].requests().cpu;
        state.put(used_, std::move(used));
        return berth::ok;
    }
    berth::Verdict add_pod(berth::Call, berth::State state, berth::Pod, berth::Pod other, berth::Node) const {
        state.need(used_)[fleet(other)] += other.requests().cpu;
        return berth::ok;
    }
    berth::Verdict remove_pod(berth::Call, berth::State state, berth::Pod, berth::Pod other, berth::Node) const {
        state.need(used_)[fleet(other)] -= other.requests().cpu;
        return berth::ok;
    }

    // What every plugin with an evaluator has.
    void declare(berth::Declare d) const { evaluator_.declare(d); }
    berth::Verdict pre_enqueue(berth::Pod pod) { return evaluator_.pre_enqueue(pod); }
    void events(berth::Events on) const { evaluator_.events(on); }
    berth::Hint hint(berth::Event event, berth::Pod pod) { return evaluator_.hint(event, pod); }
    berth::Verdict post_filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes,
                               berth::Outcome outcome, berth::Nomination nomination, berth::Done done) {
        return evaluator_.preempt(call, state, pod, nodes, outcome, nomination, done);
    }
};

}  // namespace

BERTH_PLUGIN(Tonnage, "Tonnage", "1.0.0")

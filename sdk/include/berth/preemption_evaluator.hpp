// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Preemption for plugin authors (upstream: preemption.Evaluator): DefaultPreemption with other choices.
///
/// The evaluator is C++ on top of the ABI and no service of the host: trials, the extenders' choice, eviction and
/// nomination are services already, so a host that ran the evaluation would only add a second way to call them. An
/// author's choices stay ordinary C++ that the compiler inlines, where callbacks of a C service would cost a call for
/// each pod of each node. DefaultPreemption itself is written with it, so the oracle that compares DefaultPreemption
/// with kube-scheduler tests it.

#include <berth/fit_message.hpp>
#include <berth/plugin.hpp>
#include <berth/preemption/disruption_budgets.hpp>
#include <berth/preemption/evictions.hpp>
#include <berth/preemption/interface.hpp>

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <type_traits>

namespace berth::preemption {

/// What a class with an Evaluator declares: `static constexpr auto watches = berth::preemption::watches;`, and `writes`
/// likewise, for the library's description; `declare` for the host.
inline constexpr std::array watches{"policy/v1/poddisruptionbudgets"};
inline constexpr std::array writes{"patch v1/pods/status", "delete v1/pods"};

/// Makes room for a pod that fits no node: chooses candidate nodes and victims, asks the extenders, evicts, nominates.
/// `Policy` is an Interface. A member of the plugin, which forwards to it. On the loop; outlived by the host.
template <class Policy = Interface>
class Evaluator {
    static_assert(std::is_base_of_v<Interface, Policy>,
                  "the policy of an Evaluator derives from preemption::Interface");

    const Host &host_;
    Rules rules_;
    std::string prefix_;
    Policy policy_;  ///< not a reference, so that the compiler knows which functions it calls
    DisruptionBudgets budgets_;
    Evictions evictions_;

public:
    /// The messages begin with `label`, as in "preemption: not eligible due to preemptionPolicy=Never.".
    // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved, which this policy may not have use for
    Evaluator(const Host &host, std::string_view plugin_name, Policy policy = {}, std::string_view label = "preemption")
        : host_(host),
          rules_(host),
          prefix_(std::string(label) + ": "),
          policy_(std::move(policy)),
          budgets_(host, rules_),
          evictions_(host, rules_, plugin_name) {}
    Evaluator(const Evaluator &) = delete;
    Evaluator &operator=(const Evaluator &) = delete;

    void declare(Declare d) const {
        d.watch("policy", "v1", "poddisruptionbudgets");
        d.write(BERTH_VERB_PATCH, "", "v1", "pods/status");
        d.write(BERTH_VERB_DELETE, "", "v1", "pods");
    }

    /// PreEnqueue: the pod waits while its victims are being evicted.
    Verdict pre_enqueue(Pod pod) {
        if (!evictions_.busy(pod.uid())) return ok;
        return unresolvable("waiting for the preemption for this pod to be finished");
    }
    void events(Events on) const { on.add_hinted("Pod", BERTH_EVENT_DELETE); }
    /// The plugins that rejected the pod know whether it fits now; this one only opens its gate.
    Hint hint(Event event, Pod pod) {
        if (auto victim = event.old_pod()) evictions_.gone(pod.uid(), victim->uid());
        return Hint::Skip;
    }

    /// PostFilter.
    Verdict preempt(Call call, State state, Pod pod, Nodes nodes, Outcome outcome, Nomination nomination, Done done) {
        const Preemptor p{host_, call, state, pod, nodes, outcome};
        const auto why =
            ask("pod_eligible_to_preempt_others", [&] { return policy_.pod_eligible_to_preempt_others(p); });
        if (!why.empty()) return unschedulable(prefix_ + why);
        budgets_.refresh();
        auto potential = outcome.slots_with(BERTH_STATUS_UNSCHEDULABLE);
        ReasonCounts reasons;
        std::uint64_t tried = 0, without_victims = 0;
        std::vector<std::string> errors;
        std::vector<Candidate> candidates;
        const auto [offset, wanted] =
            ask("offset_and_num_candidates", [&] { return policy_.offset_and_num_candidates(p, potential.size()); });
        bool keeps_budgets = false;
        for (std::size_t i = 0; i < potential.size(); ++i) {
            // Both are less than the number of nodes, so that their sum does not wrap.
            Candidate candidate{potential[(offset % potential.size() + i) % potential.size()], {}, 0};
            auto verdict = dry_run(p, candidate);
            if (verdict.code() == BERTH_STATUS_SUCCESS) {
                // On a large cluster these are most of the nodes.
                if (candidate.victims.empty()) {
                    ++without_victims;
                    continue;
                }
                if (wanted == 0) continue;  // the policy wants no candidate, so there is none
                keeps_budgets = keeps_budgets || candidate.violations == 0;
                candidates.push_back(std::move(candidate));
                if (keeps_budgets && candidates.size() >= wanted) break;
                continue;
            }
            ++tried;
            if (verdict.code() == BERTH_STATUS_ERROR) errors.push_back(text_of(verdict));
            count(verdict, reasons);
        }
        if (candidates.empty()) {
            if (!errors.empty()) return error(prefix_ + aggregate(errors));
            if (without_victims > 0) reasons["No preemption victims found for incoming pod"] += without_victims;
            tried += without_victims;
            if (tried < nodes.count()) reasons["Preemption is not helpful for scheduling"] += nodes.count() - tried;
            nomination.clear();
            return unschedulable(prefix_ + fit_message(nodes.count(), {}, reasons));
        }
        return ask_extenders(call, candidates, {pod, nodes, nomination}, done);
    }

private:
    /// The preemptor, and where its result goes.
    struct Wish {
        Pod pod;
        Nodes nodes;
        Nomination nomination;
    };

    /// What a function of the policy answers; what it throws names the function.
    template <class Fn>
    auto ask(const char *function, Fn &&fn) const {
        try {
            return fn();
        } catch (const std::exception &e) {
            throw std::runtime_error(prefix_ + function + " threw: " + e.what());
        } catch (...) {
            throw std::runtime_error(prefix_ + function + " threw what is no std::exception");
        }
    }

    /// The candidate's victims, none if no pod of the node may be evicted; or why the node is none. What is thrown is
    /// an error of that node.
    Verdict dry_run(const Preemptor &p, Candidate &candidate) {
        if (candidate.slot >= p.nodes.slots())
            return error("there is no node in slot " + std::to_string(candidate.slot));
        try {
            auto potential = potential_victims(p, candidate.slot);
            if (potential.empty()) return ok;
            return select_victims(p, std::move(potential), candidate);
        } catch (const std::exception &e) {
            return failed(p, candidate.slot, e.what());
        } catch (...) {
            return failed(p, candidate.slot, "the choice of victims threw what is no std::exception");
        }
    }

    static Verdict failed(const Preemptor &p, std::uint32_t slot, const char *why) {
        return error("node " + json_quote(p.nodes[slot].name()) + ": " + why);
    }

    /// The pods on the node that may be evicted, the most important one first.
    std::vector<PotentialVictim> potential_victims(const Preemptor &p, std::uint32_t slot) {
        std::vector<PotentialVictim> found;
        const auto pods = p.nodes.pods();
        for (std::uint32_t row : pods.on(slot)) {
            if (!policy_.is_eligible_pod(p, pods, row)) continue;
            auto &one = found.emplace_back(pods, row);
            // Upstream has them start now, one after the other.
            if (rules_.unstarted_victims_rank_by_list && !pods.start_time_ns(row)) one.place = found.size();
        }
        // A heap stays within its bounds, even if the policy's order contradicts itself; std::sort does not.
        auto order = [this](const auto &a, const auto &b) { return policy_.more_important_pod(a, b); };
        std::make_heap(found.begin(), found.end(), order);
        std::sort_heap(found.begin(), found.end(), order);
        return found;
    }

    Verdict select_victims(const Preemptor &p, std::vector<PotentialVictim> potential, Candidate &candidate) {
        budgets_.mark_violations(potential);
        {
            const NodeTrial trial(p, candidate.slot, potential);
            if (auto selected = policy_.select_victims_on_node(trial); selected.code() != BERTH_STATUS_SUCCESS)
                return selected;
        }
        std::erase_if(potential, [](const auto &one) { return !one.chosen; });
        if (potential.empty())
            return error("expected at least one victim pod on node " + json_quote(p.nodes[candidate.slot].name()));
        candidate.victims = std::move(potential);
        candidate.violations = std::ranges::count_if(candidate.victims, &PotentialVictim::violates);
        return ok;
    }

    /// The extenders choose first, and may take their time.
    Verdict ask_extenders(const Call &call, const std::vector<Candidate> &candidates, const Wish &wish,
                          const Done &done) {
        std::vector<std::vector<std::uint32_t>> rows;
        std::vector<berth_candidate> requested;
        for (const auto &c : candidates) {
            auto &of_one = rows.emplace_back();
            for (const auto &v : c.victims) of_one.push_back(v.row);
        }
        for (std::size_t i = 0; i < candidates.size(); ++i)
            requested.push_back({candidates[i].slot, 0, rows[i].data(), rows[i].size(), candidates[i].violations});
        struct Answer {
            std::optional<Verdict> verdict;
            bool late = false;
        };
        auto answer = std::make_shared<Answer>();
        host_.narrow(call.raw(), requested, [this, wish, done, answer](auto why, auto left) {
            auto verdict = why.empty() ? take_best(wish, left) : error(prefix_ + std::string(why));
            if (answer->late) done(verdict);
            else answer->verdict = std::move(verdict);
        });
        answer->late = true;
        return answer->verdict ? *answer->verdict : in_progress();
    }

    Verdict take_best(const Wish &wish, std::span<const berth_candidate> left) try {
        if (left.empty()) return unschedulable(prefix_ + "no candidate node for preemption");
        const auto candidates = read(wish.nodes, left);
        const Candidate &best = best_of(wish.nodes, candidates);
        auto node = wish.nodes[best.slot].name();
        name_victims(wish.nomination, best);
        evict(wish.pod, node, best);
        wish.nomination.nominate(node);
        if (!rules_.preemption_says_what) return ok;
        return {BERTH_STATUS_SUCCESS, prefix_ + "found a potential placement for pod on node " + std::string(node) +
                                          ", preempting " + std::to_string(best.victims.size()) + " victims"};
    } catch (const std::exception &e) {
        return error(std::string(e.what()));
    }

    /// What the extenders left. Throws for what is no node with victims.
    std::vector<Candidate> read(const Nodes &nodes, std::span<const berth_candidate> left) const {
        const auto pods = nodes.pods();
        std::vector<Candidate> candidates;
        for (const auto &one : left) {
            auto &c = candidates.emplace_back(Candidate{one.slot, {}, one.violations});
            bool valid = one.slot < nodes.slots() && one.victims_len > 0;
            for (auto row : std::span(one.victims, one.victims_len)) {
                valid = valid && row < pods.rows() && pods.exists(row);
                if (!valid) break;
                c.victims.emplace_back(pods, row);
            }
            if (!valid)
                throw std::runtime_error(prefix_ + "the extenders left slot " + std::to_string(one.slot) +
                                         ", which is no node with victims");
        }
        return candidates;
    }

    const Candidate &best_of(const Nodes &nodes, const std::vector<Candidate> &candidates) {
        return ask("ordered_score_funcs", [&]() -> std::reference_wrapper<const Candidate> {
            const auto functions = policy_.ordered_score_funcs();
            if (functions.empty())
                return *std::min_element(candidates.begin(), candidates.end(),
                                         [](const auto &a, const auto &b) { return a.cost() < b.cost(); });
            std::vector<const Candidate *> best;
            for (const auto &c : candidates) best.push_back(&c);
            for (const auto &score : functions) {
                std::vector<const Candidate *> higher;
                std::int64_t most = std::numeric_limits<std::int64_t>::min();
                for (const auto *c : best) {
                    const auto n = score(nodes, *c);
                    if (n > most) higher.clear();
                    if (n >= most) higher.push_back(c);
                    most = std::max(most, n);
                }
                best = std::move(higher);
            }
            return *best.front();
        });
    }

    /// For people.
    void name_victims(const Nomination &nomination, const Candidate &chosen) {
        constexpr std::size_t most = 10'000;  // as many as can be named
        std::vector<std::uint32_t> rows;
        std::set<std::uint32_t> known;  // an extender may name a pod twice
        for (const auto &v : chosen.victims)
            if (rows.size() < most && known.insert(v.row).second) rows.push_back(v.row);
        nomination.victims(rows, ask("reason", [&] { return policy_.reason(chosen); }));
    }

    void evict(const Pod &pod, std::string_view node, const Candidate &chosen) {
        std::vector<Victim> victims;
        for (const auto &v : chosen.victims)
            if (!v.pod.terminating()) victims.emplace_back(host_, v.pod);  // the others are going already
        if (!victims.empty()) evictions_.start(pod, node, std::move(victims));
    }

    static void count(const Verdict &verdict, ReasonCounts &reasons) {
        if (verdict.list().empty()) ++reasons[std::string(verdict.first().text())];
        for (const auto &reason : verdict.list()) ++reasons[reason];
    }

    /// Several errors as upstream writes them.
    static std::string aggregate(const std::vector<std::string> &errors) {
        std::vector<std::string> distinct;
        std::set<std::string_view> known;
        for (const auto &e : errors)
            if (known.insert(e).second) distinct.push_back(e);
        if (distinct.size() == 1) return distinct.front();
        std::string text;
        for (const auto &e : distinct) text += (text.empty() ? "[" : ", ") + e;
        return text + "]";
    }
};

}  // namespace berth::preemption

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin DefaultPreemption: it chooses candidate nodes and victims, and nominates a node.

#include "disruption_budgets.h"
#include "evictions.h"
#include "release.h"

#include <berth/fit_message.hpp>
#include <berth/plugin.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kubernetes {

/// PostFilter: evicts pods of lower priority from the node where it costs least, and nominates the pod for it.
/// PreEnqueue: the pod waits while its victims are being evicted.
class DefaultPreemption {
    /// A pod that would be evicted.
    struct Potential {
        std::uint32_t row = 0;
        std::int64_t priority = 0, start = 0;  ///< one that has not started counts as started last
        std::size_t place = 0;                 ///< among these, on the node
        berth::Pod pod;
        bool violates = false;  ///< its eviction breaks a disruption budget

        /// More important. The names only make the choice the same every time.
        bool operator<(const Potential &other) const { return rank() < other.rank(); }

    private:
        std::tuple<std::int64_t, std::int64_t, std::size_t, std::string_view, std::string_view> rank() const {
            return {-priority, start, place, pod.name_space(), pod.name()};
        }
    };
    /// A node on which room can be made.
    struct Candidate {
        std::uint32_t slot = 0;
        std::vector<Potential> victims;  ///< the most important one first
        std::int64_t violations = 0;

        /// The less, the better.
        auto cost() const {
            // The extenders answer in an order of their own.
            std::int64_t sum = 0, earliest = std::numeric_limits<std::int64_t>::max();
            auto most = std::max_element(victims.begin(), victims.end(), [](const auto &a, const auto &b) {
                            return a.priority < b.priority;
                        })->priority;
            for (const auto &v : victims) {
                sum += v.priority + (std::int64_t{1} << 31);
                if (v.priority == most) earliest = std::min(earliest, v.start);
            }
            // The younger the oldest of the most important victims is, the better; -max exists, -min does not.
            return std::tuple(violations, victims.front().priority, sum, victims.size(), -earliest);
        }
    };

    const berth::Host &host_;
    Rules rules_;
    std::int64_t percentage_, absolute_;
    DisruptionBudgets budgets_;
    Evictions evictions_;

    static constexpr std::string_view name = "DefaultPreemption";

public:
    static constexpr const char *description = "Makes room for a pod by evicting pods of lower priority";
    static constexpr std::array watches{"policy/v1/poddisruptionbudgets"};
    static constexpr std::array writes{"patch v1/pods/status", "delete v1/pods"};

    static void default_args(berth::ArgsReader &args) {
        constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        const std::string percentage_name = "minCandidateNodesPercentage", absolute_name = "minCandidateNodesAbsolute";
        auto percentage = args.integer(percentage_name, 10, least, most);
        auto absolute = args.integer(absolute_name, 100, least, most);
        auto invalid = [&](const std::string &field, std::int64_t n, const std::string &why) {
            args.error(field, "Invalid value: " + std::to_string(n) + ": " + why);
        };
        if (percentage < 0 || percentage > 100) invalid(percentage_name, percentage, "not in valid range [0, 100]");
        if (absolute < 0) invalid(absolute_name, absolute, "not in valid range [0, inf)");
        if (percentage != 0 || absolute != 0) return;
        invalid(percentage_name, 0, "cannot be zero at the same time as " + absolute_name);
        invalid(absolute_name, 0, "cannot be zero at the same time as " + percentage_name);
    }

    DefaultPreemption(berth::Args args, const berth::Host &host)
        : host_(host),
          rules_(host),
          percentage_(args.integer<std::int64_t>("minCandidateNodesPercentage", 10)),
          absolute_(args.integer<std::int64_t>("minCandidateNodesAbsolute", 100)),
          budgets_(host, rules_),
          evictions_(host, rules_, name) {}

    void declare(berth::Declare d) const {
        d.watch("policy", "v1", "poddisruptionbudgets");
        d.write(BERTH_VERB_PATCH, "", "v1", "pods/status");
        d.write(BERTH_VERB_DELETE, "", "v1", "pods");
    }

    berth::Verdict pre_enqueue(berth::Pod pod) {
        if (!evictions_.busy(pod.uid())) return berth::ok;
        return berth::unresolvable("waiting for the preemption for this pod to be finished");
    }

    void events(berth::Events on) const { on.add_hinted("Pod", BERTH_EVENT_DELETE); }
    /// The plugins that rejected the pod know whether it fits now; this one only opens its gate.
    berth::Hint hint(berth::Event event, berth::Pod pod) {
        if (auto victim = event.old_pod()) evictions_.gone(pod.uid(), victim->uid());
        return berth::Hint::Skip;
    }

    berth::Verdict post_filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes,
                               berth::Outcome outcome, berth::Nomination nomination, berth::Done done) {
        if (auto why = not_eligible(pod, nodes, outcome); !why.empty())
            return berth::unschedulable("preemption: " + std::string(why));
        budgets_.refresh();
        auto potential = outcome.slots_with(BERTH_STATUS_UNSCHEDULABLE);
        const auto pods = nodes.pods();
        berth::ReasonCounts reasons;
        std::uint64_t tried = 0, without_victims = 0;
        std::vector<std::string> errors;
        std::vector<Candidate> candidates;
        const std::size_t wanted = enough(potential.size());
        // With all of them to be tried it does not matter where to begin.
        const std::size_t offset = wanted < potential.size() ? host_.random(call.raw(), 0) % potential.size() : 0;
        bool keeps_budgets = false;
        for (std::size_t i = 0; i < potential.size(); ++i) {
            Candidate candidate{potential[(offset + i) % potential.size()], {}, 0};
            // On a large cluster these are most of the nodes.
            auto victims = lesser(pod, pods, candidate.slot);
            if (victims.empty()) {
                ++without_victims;
                continue;
            }
            auto verdict = select_victims(call, state, pod, nodes, std::move(victims), candidate);
            if (verdict.code() == BERTH_STATUS_SUCCESS) {
                if (wanted == 0) continue;  // the arguments ask for no candidate, so there is none
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
            if (!errors.empty()) return berth::error("preemption: " + aggregate(errors));
            if (without_victims > 0) reasons["No preemption victims found for incoming pod"] += without_victims;
            tried += without_victims;
            if (tried < nodes.count()) reasons["Preemption is not helpful for scheduling"] += nodes.count() - tried;
            nomination.clear();
            return berth::unschedulable("preemption: " + berth::fit_message(nodes.count(), {}, reasons));
        }
        return ask_extenders(call, candidates, {pod, nodes, nomination}, done);
    }

private:
    /// The preemptor, and where its result goes.
    struct Wish {
        berth::Pod pod;
        berth::Nodes nodes;
        berth::Nomination nomination;
    };

    /// The extenders choose first, and may take their time.
    berth::Verdict ask_extenders(const berth::Call &call, const std::vector<Candidate> &candidates, const Wish &wish,
                                 const berth::Done &done) {
        std::vector<std::vector<std::uint32_t>> rows;
        std::vector<berth_candidate> requested;
        for (const auto &c : candidates) {
            auto &of_one = rows.emplace_back();
            for (const auto &v : c.victims) of_one.push_back(v.row);
        }
        for (std::size_t i = 0; i < candidates.size(); ++i)
            requested.push_back({candidates[i].slot, 0, rows[i].data(), rows[i].size(), candidates[i].violations});
        struct Answer {
            std::optional<berth::Verdict> verdict;
            bool late = false;
        };
        auto answer = std::make_shared<Answer>();
        host_.narrow(call.raw(), requested, [this, wish, done, answer](auto error, auto left) {
            auto verdict = error.empty() ? take_best(wish, left) : berth::error("preemption: " + std::string(error));
            if (answer->late) done(verdict);
            else answer->verdict = std::move(verdict);
        });
        answer->late = true;
        return answer->verdict ? *answer->verdict : berth::in_progress();
    }

    berth::Verdict take_best(const Wish &wish, std::span<const berth_candidate> left) try {
        if (left.empty()) return berth::unschedulable("preemption: no candidate node for preemption");
        auto pods = wish.nodes.pods();
        std::vector<Candidate> candidates;
        for (const auto &one : left) {
            auto &c = candidates.emplace_back(Candidate{one.slot, {}, one.violations});
            for (auto row : std::span(one.victims, one.victims_len)) c.victims.push_back(potential(pods, row));
        }
        const Candidate &best = *std::min_element(candidates.begin(), candidates.end(),
                                                  [](const auto &a, const auto &b) { return a.cost() < b.cost(); });
        auto node = wish.nodes[best.slot].name();
        name_victims(wish.nomination, best);
        evict(wish.pod, node, best);
        wish.nomination.nominate(node);
        if (!rules_.preemption_says_what) return berth::ok;
        return {BERTH_STATUS_SUCCESS, "preemption: found a potential placement for pod on node " + std::string(node) +
                                          ", preempting " + std::to_string(best.victims.size()) + " victims"};
    } catch (const std::exception &e) {
        return berth::error(std::string(e.what()));
    }

    /// For people.
    static void name_victims(const berth::Nomination &nomination, const Candidate &chosen) {
        constexpr std::size_t most = 10'000;  // as many as can be named
        std::vector<std::uint32_t> rows;
        std::set<std::uint32_t> known;  // an extender may name a pod twice
        for (const auto &v : chosen.victims)
            if (rows.size() < most && known.insert(v.row).second) rows.push_back(v.row);
        nomination.victims(rows);
    }

    std::size_t enough(std::size_t potential) const {
        auto n = static_cast<std::int64_t>(potential) * percentage_ / 100;
        return std::min(potential, static_cast<std::size_t>(std::max(n, absolute_)));
    }

    /// Why the pod may not preempt, or "".
    std::string_view not_eligible(const berth::Pod &pod, const berth::Nodes &nodes,
                                  const berth::Outcome &outcome) const {
        if (pod.at("/spec/preemptionPolicy").string() == "Never") return "not eligible due to preemptionPolicy=Never.";
        if (pod.nominated_node().empty()) return {};
        auto slot = nodes.find(pod.nominated_node());
        if (!slot || outcome.code(*slot) == BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE) return {};
        auto pods = nodes.pods();
        for (std::uint32_t row : pods.on(*slot))
            if (pods.priority(row) < pod.priority() && leaving(pods, row))
                return "not eligible due to a terminating pod on the nominated node.";
        return {};
    }

    /// Whether a preemption has already deleted the pod.
    static bool leaving(const berth::PlacedPods &pods, std::uint32_t row) {
        if (!pods.terminating(row)) return false;
        auto conditions = pods[row].at("/status/conditions");
        for (std::size_t i = 0; i < conditions.size(); ++i)
            if (conditions.at(i)["type"].string() == "DisruptionTarget")
                return conditions.at(i)["status"].string() == "True" &&
                       conditions.at(i)["reason"].string() == "PreemptionByScheduler";
        return false;
    }

    static Potential potential(const berth::PlacedPods &pods, std::uint32_t row) {
        auto start = pods.start_time_ns(row);
        return {row, pods.priority(row), start ? start : std::numeric_limits<std::int64_t>::max(), 0, pods[row], false};
    }

    /// The pods on the node that may be evicted, the most important one first.
    std::vector<Potential> lesser(const berth::Pod &pod, const berth::PlacedPods &pods, std::uint32_t slot) const {
        std::vector<Potential> found;
        for (std::uint32_t row : pods.on(slot)) {
            if (pods.priority(row) >= pod.priority()) continue;
            auto &one = found.emplace_back(potential(pods, row));
            // Upstream has them start now, one after the other.
            if (rules_.unstarted_victims_rank_by_list && !pods.start_time_ns(row)) one.place = found.size();
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    /// The fewest of `potential` that must leave the candidate's node, or why the node is none.
    berth::Verdict select_victims(const berth::Call &call, const berth::State &state, const berth::Pod &pod,
                                  const berth::Nodes &nodes, std::vector<Potential> potential, Candidate &candidate) {
        std::vector<berth::Pod> pods;
        for (const auto &p : potential) pods.push_back(p.pod);
        auto violates = budgets_.violations(pods);
        for (std::size_t i = 0; i < potential.size(); ++i) potential[i].violates = violates[i];

        berth::Trial trial(host_, call.raw(), state.raw(), pod.raw(), nodes.raw(), candidate.slot);
        for (const auto &p : potential)
            if (auto removed = trial.remove_pod(p.row); removed.code() != BERTH_STATUS_SUCCESS) return failed(removed);
        if (auto fits = trial.filter(); fits.code() != BERTH_STATUS_SUCCESS) return fits;
        // Those stay that can: first of the pods that a budget protects, then of the others.
        for (bool protected_ones : {true, false}) {
            for (auto &p : potential) {
                if (p.violates != protected_ones) continue;
                if (auto added = trial.add_pod(p.row); added.code() != BERTH_STATUS_SUCCESS) return failed(added);
                if (trial.filter().code() == BERTH_STATUS_SUCCESS) continue;
                if (auto removed = trial.remove_pod(p.row); removed.code() != BERTH_STATUS_SUCCESS)
                    return failed(removed);
                candidate.victims.push_back(p);
                candidate.violations += p.violates ? 1 : 0;
            }
        }
        if (candidate.victims.empty())
            return berth::error("expected at least one victim pod on node " +
                                berth::json_quote(nodes[candidate.slot].name()));
        std::sort(candidate.victims.begin(), candidate.victims.end());
        return berth::ok;
    }

    void evict(const berth::Pod &pod, std::string_view node, const Candidate &chosen) {
        std::vector<Victim> victims;
        for (const auto &v : chosen.victims)
            if (!v.pod.terminating()) victims.emplace_back(host_, v.pod);  // the others are going already
        if (!victims.empty()) evictions_.start(pod, node, std::move(victims));
    }

    /// AddPod and RemovePod never reject a node: whatever else they answer is an error.
    static berth::Verdict failed(const berth::Verdict &verdict) { return berth::error(text_of(verdict)); }

    static std::string text_of(const berth::Verdict &verdict) {
        if (verdict.list().empty()) return std::string(verdict.first().text());
        std::string text;
        for (const auto &t : verdict.list()) text += (text.empty() ? "" : ", ") + t;
        return text;
    }

    static void count(const berth::Verdict &verdict, berth::ReasonCounts &reasons) {
        if (verdict.list().empty()) ++reasons[std::string(verdict.first().text())];
        for (const auto &reason : verdict.list()) ++reasons[reason];
    }

    /// Several errors as upstream writes them.
    static std::string aggregate(const std::vector<std::string> &errors) {
        std::vector<std::string> distinct;
        for (const auto &e : errors)
            if (std::find(distinct.begin(), distinct.end(), e) == distinct.end()) distinct.push_back(e);
        if (distinct.size() == 1) return distinct.front();
        std::string text;
        for (const auto &e : distinct) text += (text.empty() ? "[" : ", ") + e;
        return text + "]";
    }
};

}  // namespace kubernetes

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Filter: which nodes take the pod, visited in order until enough are found (upstream: findNodesThatPassFilters).

#include "cycle/extenders.h"
#include "cycle/feasible.h"
#include "cycle/known_verdicts.h"
#include "cycle/search.h"

#include <berth/fit_message.hpp>

#include <span>

namespace berth::cycle {

/// How many feasible nodes are enough among `nodes` (upstream: numFeasibleNodesToFind). `percentage` 0: adaptive.
std::uint32_t nodes_to_find(std::uint32_t nodes, std::int32_t percentage);

/// Runs the Filter plugins over batches of slots. A node that is promised to pods which come first is judged twice, as
/// if they were on it and as it is (upstream: RunFilterPluginsWithNominatedPods). Reusable; keeps its memory. Loop
/// only.
class Filters {
    struct Verdict {
        std::int32_t code = BERTH_SUCCESS;
        std::uint32_t reasons = BERTH_NO_REASONS;
        const plugin::Instance *plugin = nullptr;        ///< who rejects it
        std::uint32_t position = KnownVerdicts::nobody;  ///< of `plugin` among the filters
        bool promised = false;                           ///< with the pods on it that come first
    };

    static constexpr std::string_view point = "Filter";
    static constexpr std::int32_t code_thrown = INT32_MIN;      ///< a node on which the plugin threw
    static constexpr std::int32_t code_broken = INT32_MIN + 1;  ///< one not tried with the pods that come first
    static bool is_rejection(std::int32_t code) {
        return code == BERTH_UNSCHEDULABLE || code == BERTH_UNSCHEDULABLE_AND_UNRESOLVABLE || code == BERTH_PENDING;
    }

public:
    struct Rejected : Verdict {
        std::uint32_t slot;
    };

private:
    std::uint64_t search_ = 0;
    Participants active_;
    std::vector<std::uint64_t> promised_;  ///< by slot: the last search in which somebody came first there
    bool any_promised_ = false;
    std::vector<std::uint32_t> visited_, feasible_;
    std::vector<Rejected> rejected_;  ///< in the order of visited_
    std::uint32_t failed_ = 0;
    std::uint32_t counted_ = BERTH_NO_SLOT;  ///< visited again, and among those that failed since the first time
    std::vector<std::uint32_t> slots_;       ///< of one batch
    std::vector<Verdict> batch_, new_;       ///< by place in slots_ and in new_slots_; empty: all of them take the pod
    std::vector<std::uint32_t> new_slots_, new_places_;  ///< those that the plugins which sign the pod are asked about
    KnownVerdicts known_;
    WholeVisit whole_;
    std::uint64_t visit_ = 0;            ///< whose list slots_ is, of whole_; 0: another one
    std::uint64_t feasible_id_ = 0;      ///< see Feasible
    bool others_reject_ = false;         ///< one of those that do not sign the pod has rejected a node
    std::vector<std::uint32_t> places_;  ///< in slots_: those to look at
    std::vector<std::pair<std::size_t, std::size_t>> ended_;  ///< by position: nodes that ended there, and rejected
    // One plugin at a time: those that no earlier one has rejected, and its answers.
    std::vector<std::uint32_t> left_, left_places_, reasons_;
    std::vector<std::int32_t> codes_;
    std::string thrown_;    ///< what the plugin that ended the search threw
    model::Status broken_;  ///< what kept a node from being tried with the pods that come first

public:
    /// Begins the search of one pod: nothing is visited, these plugins take part.
    void begin(const Search &search, Participants active);

    /// Visits `slots` from place `start` on, wrapping round, until `limit` are feasible, and adds to what was visited
    /// before. Returns success, or the failure of a plugin with its complete text; then what was judged before it
    /// stays.
    model::Status visit(const Search &search, std::span<const std::uint32_t> slots, std::uint32_t start,
                        std::uint32_t limit);

    /// Leaves of the feasible nodes what the extenders left. One that they gave a reason for is rejected, by `who`; one
    /// that they left out in silence counts as if it had not been visited.
    void narrow(const Search &search, ExtenderVerdicts verdicts, const plugin::Instance *who);

    /// Judges one node by itself: success, a rejection, or the failure of a plugin with its complete text.
    model::Status judge_one(const Search &search, std::uint32_t slot);

    /// Of the pod of the search at hand.
    Signatures &signatures() { return known_.signatures(); }

    const std::vector<std::uint32_t> &feasible() const { return feasible_; }  ///< in visiting order
    Feasible found() const;                                                   ///< the same; good until the next visit
    const std::vector<std::uint32_t> &visited() const { return visited_; }    ///< each once, in visiting order
    std::uint32_t failed() const { return failed_; }  ///< nodes that were rejected, once at least

    const std::vector<Rejected> &rejected() const { return rejected_; }  ///< in visiting order
    model::Status rejection(const Search &search, const Verdict &verdict) const;
    void add_rejectors(Rejectors &rejectors) const;
    void count_reasons(const Search &search, ReasonCounts &counts) const;
    /// Who rejected how many nodes, and why; the most frequent one first.
    std::vector<model::Rejection> rejections(const Search &search) const;

private:
    void find_promised(const Search &search);
    void judge(const Search &search);
    void judge_promised(const Search &search);
    void recall(const Search &search);
    void look(const Search &search, std::uint32_t place);
    void ask_those(const Search &search, bool that_sign, std::span<const std::uint32_t> slots,
                   std::vector<Verdict> &verdicts);
    std::span<const std::uint32_t> still_asked(std::uint32_t position, std::span<const std::uint32_t> slots,
                                               const std::vector<Verdict> &verdicts);
    void set(std::size_t place, const Verdict &verdict);
    void count_asked();
    static void count(const plugin::Instance &instance, std::size_t nodes, std::size_t rejected);
    Verdict with_promised_pods(const Search &search, std::uint32_t slot);
    Verdict broken(model::Status status);
    Verdict ask_all(const Search &search, std::uint32_t slot);
    void ask(const Search &search, const plugin::Instance &instance, std::span<const std::uint32_t> slots,
             std::int32_t *codes, std::uint32_t *reasons);
    bool stands(const Search &search, const Verdict &verdict) const;
    void keep(std::uint32_t slot, const Verdict &verdict);
    void count(std::uint32_t slot) { failed_ += slot != counted_; }
    model::Status failure(const Search &search, std::uint32_t slot, const Verdict &verdict) const;
};

}  // namespace berth::cycle

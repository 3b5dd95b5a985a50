// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Filter: which nodes take the pod, visited in order until enough are found (upstream: findNodesThatPassFilters).

#include "cycle/extenders.h"
#include "cycle/known_verdicts.h"
#include "cycle/search.h"

#include <berth/fit_message.hpp>

#include <span>

namespace berth::cycle {

/// How many feasible nodes are enough among `nodes` (upstream: numFeasibleNodesToFind). `percentage` 0: adaptive.
std::uint32_t nodes_to_find(std::uint32_t nodes, std::int32_t percentage);

/// Who takes part in a search: the Filter plugins, and those whose PreFilter wants to hear of other pods.
struct Participants {
    std::vector<const plugin::Instance *> filters, extensions;
};

/// Runs the Filter plugins over batches of slots. A node that is promised to pods which come first is judged twice, as
/// if they were on it and as it is (upstream: RunFilterPluginsWithNominatedPods). Reusable; keeps its memory. Loop
/// only.
class Filters {
    struct Verdict {
        std::uint64_t search = 0;  ///< the search it belongs to
        std::int32_t code = BERTH_SUCCESS;
        std::uint32_t reasons = BERTH_NO_REASONS;
        const plugin::Instance *plugin = nullptr;
        std::uint32_t position = KnownVerdicts::nobody;  ///< of `plugin` among the filters
        bool counted = false;                            ///< among those that failed
    };

    static constexpr std::string_view point = "Filter";
    static constexpr std::int32_t code_thrown = INT32_MIN;      ///< a node on which the plugin threw
    static constexpr std::int32_t code_broken = INT32_MIN + 1;  ///< one not tried with the pods that come first
    static bool is_rejection(std::int32_t code) {
        return code == BERTH_UNSCHEDULABLE || code == BERTH_UNSCHEDULABLE_AND_UNRESOLVABLE || code == BERTH_PENDING;
    }

    std::uint64_t search_ = 0;
    Participants active_;
    std::vector<std::uint64_t> promised_;  ///< by slot: the last search in which somebody came first there
    bool any_promised_ = false;
    std::vector<Verdict> by_slot_;
    std::vector<std::uint32_t> visited_, feasible_;
    std::uint32_t failed_ = 0;
    // One batch: verdicts by place, and the places that are still feasible with their slots.
    std::vector<Verdict> batch_;
    std::vector<std::uint32_t> places_, slots_, reasons_;
    std::vector<std::uint32_t> new_places_, new_slots_;  ///< those that the plugins which sign the pod are asked about
    KnownVerdicts known_;
    std::vector<std::pair<std::size_t, std::size_t>> ended_;  ///< by position: nodes that ended there, and rejected
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
    const std::vector<std::uint32_t> &visited() const { return visited_; }    ///< each once, in visiting order
    std::uint32_t failed() const { return failed_; }  ///< nodes that were rejected, once at least

    /// The rejection of a visited node, or success.
    model::Status verdict(const Search &search, std::uint32_t slot) const;
    bool judged(std::uint32_t slot) const { return by_slot_[slot].search == search_; }
    std::int32_t code(std::uint32_t slot) const { return by_slot_[slot].code; }
    std::uint32_t reasons(std::uint32_t slot) const { return by_slot_[slot].reasons; }
    const plugin::Instance *rejector(std::uint32_t slot) const { return by_slot_[slot].plugin; }
    void add_rejectors(Rejectors &rejectors) const;
    void count_reasons(const Search &search, ReasonCounts &counts) const;
    /// Who rejected how many nodes, and why; the most frequent one first.
    std::vector<model::Rejection> rejections(const Search &search) const;

private:
    void find_promised(const Search &search);
    void judge(const Search &search, std::uint32_t n);
    void judge_promised(const Search &search);
    void recall(const Search &search);
    void ask_those(const Search &search, bool that_sign, std::vector<std::uint32_t> slots,
                   std::vector<std::uint32_t> places);
    void count_asked(std::span<const std::uint32_t> places);
    static void count(const plugin::Instance &instance, std::size_t nodes, std::size_t rejected);
    Verdict with_promised_pods(const Search &search, std::uint32_t slot);
    Verdict broken(model::Status status);
    Verdict ask_all(const Search &search, std::uint32_t slot);
    void ask(const Search &search, const plugin::Instance &instance, std::span<const std::uint32_t> slots,
             std::int32_t *codes, std::uint32_t *reasons);
    bool stands(const Search &search, const Verdict &verdict) const;
    model::Status rejection(const Search &search, const Verdict &verdict) const;
    void keep(std::uint32_t slot, const Verdict &verdict);
    void count(Verdict &rejected);
    model::Status failure(const Search &search, std::uint32_t slot, const Verdict &verdict) const;
};

}  // namespace berth::cycle

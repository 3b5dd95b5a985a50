// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Filter over the nodes in visiting order, until enough fit (upstream: findNodesThatPassFilters).

#include "cycle/extenders.h"
#include "cycle/filter_batch.h"
#include "cycle/filter_cache.h"
#include "cycle/search.h"

#include <berth/fit_message.hpp>

#include <span>

namespace berth::cycle {

/// Runs the Filter plugins over batches of slots. A node with nominated pods that come first is evaluated twice, with
/// them on it and as it is (upstream: RunFilterPluginsWithNominatedPods). Reusable; keeps its memory. Loop only.
class Filters {
    static constexpr std::int32_t code_not_tried = INT32_MIN + 1;  ///< with its nominated pods

public:
    struct Rejected : Verdict {
        std::uint32_t slot;
    };

private:
    std::uint64_t search_ = 0;
    Participants active_;
    std::vector<std::uint64_t> nominated_;  ///< by slot: the last search for which it had nominated pods
    bool any_nominated_ = false;
    std::vector<std::uint32_t> visited_, feasible_;
    std::vector<Rejected> rejected_;  ///< in the order of visited_
    std::uint32_t rejected_count_ = 0;
    std::uint32_t rejected_before_ = BERTH_NO_SLOT;  ///< the nominated node, visited again: it counts once
    FilterBatch batch_;
    FilterCall call_;
    FilterCache cache_;
    std::vector<std::pair<std::size_t, std::size_t>> ended_;  ///< by position: nodes that ended there, and rejected
    model::Status nominated_failure_;  ///< what kept a node from being tried with its nominated pods

public:
    /// Begins the search of one pod: nothing is visited, these plugins take part.
    void begin(const Search &search, Participants active);

    /// Visits `slots` from index `start` on, wrapping round, until `limit` are feasible, and adds to what was visited
    /// before. Returns success, or the failure of a plugin with its complete text; then what was judged before it
    /// stays.
    model::Status visit(const Search &search, std::span<const std::uint32_t> slots, std::uint32_t start,
                        std::uint32_t limit);

    /// Keeps the feasible nodes that the extenders kept. `who` rejects a node for which they gave a reason; a node that
    /// they omitted without a reason counts as if it had not been visited.
    void apply_extenders(const Search &search, ExtenderVerdicts verdicts, const plugin::Instance *who);

    /// Judges one node by itself: success, a rejection, or the failure of a plugin with its complete text.
    model::Status judge_one(const Search &search, std::uint32_t slot);

    /// Of the pod of the current search.
    Signatures &signatures() { return cache_.signatures(); }

    const std::vector<std::uint32_t> &feasible() const { return feasible_; }  ///< in visiting order
    Feasible found() const { return cache_.found(feasible_); }                ///< the same; valid until the next visit
    const std::vector<std::uint32_t> &visited() const { return visited_; }    ///< each once, in visiting order
    std::uint32_t rejected_count() const { return rejected_count_; }  ///< nodes that were rejected, once at least

    // filter_diagnosis.cpp
    const std::vector<Rejected> &rejected() const { return rejected_; }  ///< in visiting order
    model::Status rejection(const Search &search, const Verdict &verdict) const;
    void add_rejectors(Rejectors &rejectors) const;
    void count_reasons(const Search &search, ReasonCounts &counts) const;
    /// Which plugin rejected how many nodes, and why; the most frequent one first.
    std::vector<model::Rejection> rejections(const Search &search) const;

private:
    void find_nominated(const Search &search);
    void run_batch(const Search &search);
    void run_with_nominated(const Search &search);
    Verdict run_with_nominated(const Search &search, std::uint32_t slot);
    Verdict run_one(const Search &search, std::uint32_t slot);
    bool is_verdict(const Search &search, const Verdict &verdict) const;
    void keep(std::uint32_t slot, const Verdict &verdict);
    void count_rejected(std::uint32_t slot) { rejected_count_ += slot != rejected_before_; }
    void count_evaluated();
    model::Status failure(const Search &search, std::uint32_t slot, const Verdict &verdict) const;
};

}  // namespace berth::cycle

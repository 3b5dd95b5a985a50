// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cache of scores for pods with equal signatures (berth.sign/1). Score plugins are called only about nodes that
/// have changed since an earlier such pod, and for the same list of nodes their sums are kept, too.

#include "cycle/result_cache.h"
#include "cycle/score_rows.h"
#include "cycle/signatures.h"
#include "cycle/visit_order.h"

namespace berth::cycle {

/// Runs rows in the place of ScoreRows::run, with the same totals. Reusable. Loop only.
class ScoreCache {
public:
    /// The rows have begun with these nodes. Those of plugins whose scores are in the cached sums stay empty, unless
    /// the rows keep raw scores. `signatures`: of the search's pod.
    model::Status run(const Search &search, Signatures &signatures, const Feasible &nodes, ScoreRows &rows,
                      Ranking &totals);

    /// The totals of the last run if all of them are cached, instead of those given to run(); else null.
    const Ranking *cached_totals() const { return all_cached_ ? &results_->sums : nullptr; }

private:
    struct Results {
        ValidSlots slots;
        std::vector<std::vector<std::int64_t>> scores;  ///< of each plugin that signs the pod, by slot
        // The sums of the last search: the next one often has the same nodes.
        std::vector<std::uint32_t> nodes;
        Ranking sums;                   ///< by index in `nodes`
        bool sums_valid = false;        ///< `nodes` and `sums` are
        std::uint64_t version = 0;      ///< of `nodes`, see Feasible; 0: scores of some may be missing
        std::uint64_t snapshot_id = 0;  ///< when they were summed
        void clear() {
            slots.clear();
            sums_valid = false;
        }
    };

    bool open(const Search &search, Signatures &signatures, const ScoreRows &rows);
    bool same_nodes() const { return nodes_->version != 0 && nodes_->version == results_->version; }
    void find_misses(const Search &search);
    model::Status score_misses(const Search &search, const ScoreRows &rows, std::size_t i);
    void patch_sums(const plugin::Scorer &scorer, std::size_t i, std::size_t miss);
    void end_of_scores(const Search &search);
    void fetch(std::size_t i, std::span<std::int64_t> row) const;
    model::Status sum(const Search &search, const ScoreRows &rows, Ranking &totals);
    void end_of_sums(const Search &search);
    /// Whether the sums have the scores of plugin `i` already, so that its row is not needed.
    bool in_sums(std::size_t i) const { return sums_valid_ && summable_[i]; }

    ResultCache<Results> cache_;
    Results *results_ = nullptr;  ///< of this search; null: no plugin signs its pod
    const Feasible *nodes_ = nullptr;
    std::string key_;
    // By index of the plugin. Summable: it signs the pod, and the host normalizes its scores.
    std::vector<char> signs_, summable_;
    bool sums_valid_ = false;  ///< for these nodes
    bool all_cached_ = false;
    std::vector<std::uint32_t> misses_, miss_indices_, changed_;
    std::vector<std::int64_t> scores_;  ///< of the misses
};

}  // namespace berth::cycle

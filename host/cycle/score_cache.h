// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Cached scores: Score plugins that sign a pod (berth.sign/1) are called only about nodes that have changed since an
/// earlier pod with the same signatures, and for the same list of nodes their sums are kept, too.

#include "cycle/ranking.h"
#include "cycle/result_cache.h"
#include "cycle/signatures.h"
#include "cycle/visit_order.h"

#include <functional>

namespace berth::cycle {

/// Of one search after the other: open(), score() for each plugin that signs the pod, end_of_scores(), fetch() and the
/// sums. Reusable. Loop only.
class ScoreCache {
public:
    using Scorers = std::span<const plugin::Scorer *const>;
    /// Calls Score of a plugin about slots.
    using ScoreCall =
        std::function<model::Status(const plugin::Instance &, std::span<const std::uint32_t>, std::int64_t *)>;

    /// Finds which plugins sign the search's pod, and the nodes for which they have no valid scores. `every_row`: rows
    /// are needed of plugins whose sums are cached, too. What it refers to outlives the search.
    void open(const Search &search, Signatures &signatures, Scorers scorers, const Feasible &nodes, bool every_row);

    bool signs(std::size_t i) const { return signs_[i] != 0; }
    /// Has plugin `i`, which signs the pod, score the misses. Success, or its failure.
    model::Status score(const Search &search, std::size_t i, const ScoreCall &call);
    /// All plugins that sign the pod have scored the misses.
    void end_of_scores(const Search &search);
    /// The scores of plugin `i`, which signs the pod, for all nodes, before they are normalized.
    void fetch(std::size_t i, std::span<std::int64_t> row) const;

    /// Whether the sums have, or get, the scores of plugin `i`: it signs the pod, and the host normalizes them.
    bool summable(std::size_t i) const { return summable_[i] != 0; }
    bool all_summable() const;
    /// Whether the cached sums have them already, so that its row is not needed. After end_of_scores().
    bool in_sums(std::size_t i) const { return sums_valid_ && summable(i); }
    /// The weighted scores of the summable plugins by index of the node, to be added to those that are not in_sums();
    /// null if there are none.
    Ranking *sums();
    /// They are complete: kept for the next search with the same nodes.
    void end_of_sums(const Search &search);

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

    bool same_nodes() const { return nodes_->version != 0 && nodes_->version == results_->version; }
    void find_misses(const Search &search);
    void patch_sums(std::size_t i, std::size_t miss);

    ResultCache<Results> cache_;
    Results *results_ = nullptr;  ///< of this search; null: no plugin signs its pod
    Scorers scorers_;
    const Feasible *nodes_ = nullptr;
    std::string key_;
    std::vector<char> signs_, summable_;  ///< by index in scorers_
    bool sums_valid_ = false;             ///< for these nodes
    std::vector<std::uint32_t> misses_, miss_indices_, changed_;
    std::vector<std::int64_t> scores_;  ///< of the misses
};

/// In upstream's arithmetic, which wraps around: the numbers are a plugin's.
inline std::int64_t added(std::int64_t total, std::int64_t score, std::int64_t weight) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(total) +
                                     static_cast<std::uint64_t>(score) * static_cast<std::uint64_t>(weight));
}

}  // namespace berth::cycle

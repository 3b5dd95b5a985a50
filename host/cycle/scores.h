// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreScore, Score and NormalizeScore over the feasible nodes (upstream: prioritizeNodes).

#include "cycle/extenders.h"
#include "cycle/score_cache.h"
#include "cycle/score_rows.h"

namespace berth::cycle {

/// Ranks feasible nodes. Reusable; keeps its memory. Loop only.
class Scores {
    std::vector<const plugin::Scorer *> active_;
    plugin::CalledPoint phase_ = plugin::CalledPoint::PreScore;
    ScoreRows rows_;  ///< of the active plugins
    ScoreCache cache_;
    Ranking own_totals_;               ///< of this search
    const Ranking *totals_ = nullptr;  ///< these, or the cached ones if nothing else is added to them

public:
    /// Scores `nodes`. Success, or the failure of a plugin with its complete text. `signatures`: of the search's pod.
    /// `keep_raw`: raw() will be called.
    model::Status run(const Search &search, Signatures &signatures, const Feasible &nodes, bool keep_raw);

    /// Adds what the extenders say.
    void add(const std::vector<ExtenderScores> &more);

    /// Index of a node with the greatest total. Which one among equals, upstream leaves to the layout of a heap, so any
    /// is conformant; here `chance` decides, so that equal nodes fill evenly.
    std::size_t best(std::uint64_t chance) const { return totals_->greatest(chance); }

    std::string_view phase() const { return phase_; }  ///< where a failure came from: PreScore or Score
    const std::vector<const plugin::Scorer *> &active() const { return active_; }
    std::int64_t raw(std::size_t row, std::size_t index) const { return rows_.raw(row, index); }
    std::int64_t normalized(std::size_t row, std::size_t index) const { return rows_.row(row)[index]; }
    std::int64_t total(std::size_t index) const { return (*totals_)[index]; }

private:
    model::Status pre_score(const Search &search, std::span<const std::uint32_t> slots);
};

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Score, NormalizeScore and the weighted sum, without a cache (upstream: RunScorePlugins).

#include "cycle/ranking.h"
#include "cycle/search.h"
#include "plugin/called_point.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace berth::cycle {

/// Upstream's DefaultNormalizeScore to 0..100, by truncating division; `reverse`: 100 minus it.
void normalize_scores(std::span<std::int64_t> scores, bool reverse);

/// In upstream's arithmetic, which wraps around: the numbers are a plugin's.
inline std::int64_t added(std::int64_t total, std::int64_t score, std::int64_t weight) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(total) +
                                     static_cast<std::uint64_t>(score) * static_cast<std::uint64_t>(weight));
}

/// One row of scores for each plugin, one score for each node. The failure of a plugin has its complete text. Reusable;
/// keeps its memory. Loop only.
class ScoreRows {
public:
    using Scorers = std::span<const plugin::Scorer *const>;
    static constexpr plugin::CalledPoint point = plugin::CalledPoint::Score;

    /// Begins with rows for these plugins and nodes, both of which outlive the search. `keep_raw`: raw() will be
    /// called.
    void begin(Scorers scorers, std::span<const std::uint32_t> slots, bool keep_raw);

    /// All steps for all plugins: `totals` are their weighted scores by index of the node.
    model::Status run(const Search &search, Ranking &totals);

    // The steps of plugin `i`.
    /// Has it score these slots, if there are any. It counts as evaluated for every node: the cache has the others.
    model::Status score(const Search &search, std::size_t i, std::span<const std::uint32_t> slots,
                        std::span<std::int64_t> scores) const;
    /// Normalizes its row, if it normalizes its scores.
    model::Status normalize(const Search &search, std::size_t i);
    /// Adds its row by weight. A failure if a score is out of range.
    model::Status add_weighted(std::size_t i, std::span<std::int64_t> totals) const;

    Scorers scorers() const { return scorers_; }
    bool keeps_raw() const { return keep_raw_; }
    std::span<std::int64_t> row(std::size_t i) { return {scores_.data() + i * slots_.size(), slots_.size()}; }
    std::span<const std::int64_t> row(std::size_t i) const {
        return {scores_.data() + i * slots_.size(), slots_.size()};
    }
    /// A score before it was normalized.
    std::int64_t raw(std::size_t i, std::size_t index) const { return raw_[i * slots_.size() + index]; }

private:
    model::Status call(const Search &search, const plugin::Instance &instance, std::span<const std::uint32_t> slots,
                       std::int64_t *scores) const;

    Scorers scorers_;
    std::span<const std::uint32_t> slots_;
    bool keep_raw_ = false;
    std::vector<std::int64_t> raw_, scores_;  ///< row by row
};

}  // namespace berth::cycle

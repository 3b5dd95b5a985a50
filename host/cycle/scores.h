// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreScore, Score and NormalizeScore: which of the feasible nodes is best (upstream: prioritizeNodes).

#include "cycle/answers.h"
#include "cycle/extenders.h"
#include "cycle/feasible.h"
#include "cycle/ranking.h"

namespace berth::cycle {

/// Upstream's DefaultNormalizeScore to 0..100, by truncating division; `reverse`: 100 minus it.
void normalize_scores(std::span<std::int64_t> scores, bool reverse);

/// Ranks feasible nodes. Reusable; keeps its memory. Loop only.
class Scores {
    std::vector<const plugin::Scorer *> active_;
    std::vector<std::int64_t> raw_, normalized_;  ///< row by row, one row per active plugin
    std::size_t nodes_ = 0;
    std::string_view phase_;

    /// Scores of the plugins that sign the pod, before they are normalized.
    struct Known {
        AnsweredSlots slots;
        std::vector<std::vector<std::int64_t>> scores;  ///< one row per such plugin, by slot
        /// What the steady ones of them add to the totals of the nodes of the last search: the next one often has the
        /// same nodes.
        std::vector<std::uint32_t> nodes;
        Ranking sums;             ///< by place in `nodes`
        bool hold = false;        ///< `nodes` and `sums` do
        std::uint64_t id = 0;     ///< of `nodes`, see Feasible; 0: scores of some may be missing
        std::uint64_t as_of = 0;  ///< their snapshot
        void clear() {
            slots.clear();
            hold = false;
        }
    };
    Answers<Known> answers_;
    Known *known_ = nullptr;           ///< null: nobody signs this pod
    Ranking own_totals_;               ///< of this search
    const Ranking *totals_ = nullptr;  ///< these or known_'s sums, if nothing else is to be added to them
    std::string key_;
    std::vector<char> signs_, steady_;  ///< by place in active_; a steady one signs the pod, and the host normalizes it
    bool summed_ = false;               ///< known_'s sums hold for these nodes, so the steady rows are left out
    std::vector<std::uint32_t> new_slots_, new_places_;  ///< those that the plugins which sign are asked about
    std::vector<std::int64_t> new_scores_;
    std::vector<std::uint32_t> places_;  ///< of those that have changed

public:
    /// Scores `nodes`. Success, or the failure of a plugin with its complete text. `signatures`: of the search's pod.
    /// `keep_raw`: raw() will be asked.
    model::Status run(const Search &search, Signatures &signatures, const Feasible &nodes, bool keep_raw);

    /// Adds what the extenders say.
    void add(const std::vector<ExtenderScores> &more);

    /// Place of a node with the greatest total. Which one among equals, upstream leaves to the layout of a heap, so any
    /// is conformant; here `chance` decides, so that equal nodes fill evenly.
    std::size_t best(std::uint64_t chance) const { return totals_->greatest(chance); }

    std::string_view phase() const { return phase_; }  ///< where a failure came from: PreScore or Score
    const std::vector<const plugin::Scorer *> &active() const { return active_; }
    std::int64_t raw(std::size_t row, std::size_t place) const { return raw_[row * nodes_ + place]; }
    std::int64_t normalized(std::size_t row, std::size_t place) const { return normalized_[row * nodes_ + place]; }
    std::int64_t total(std::size_t place) const { return (*totals_)[place]; }

private:
    model::Status pre_score(const Search &search, std::span<const std::uint32_t> slots);
    model::Status score_all(const Search &search, Signatures &signatures, const Feasible &nodes, bool keep_raw);
    model::Status score(const Search &search, std::span<const std::uint32_t> slots);
    void recall(const Search &search, Signatures &signatures, const Feasible &nodes, bool keep_raw);
    void find_new(const Search &search, const Feasible &nodes);
    model::Status score_new(const Search &search, std::size_t i);
    void patch_sums(std::size_t i, std::size_t n);
    void fetch(std::size_t i, std::span<const std::uint32_t> slots);
    bool left_out(std::size_t i) const { return summed_ && steady_[i]; }
    model::Status ask(const Search &search, const plugin::Instance &instance, std::span<const std::uint32_t> slots,
                      std::int64_t *out);
    model::Status normalize(const Search &search, std::span<const std::uint32_t> slots);
    model::Status add_up(const Search &search, const Feasible &nodes);
    bool same_list(const Feasible &nodes) const { return nodes.id != 0 && nodes.id == known_->id; }
    void keep_sums(const Search &search, const Feasible &nodes);
    bool add_row(std::size_t i, std::span<std::int64_t> to);
    std::span<std::int64_t> row(std::size_t i) { return {normalized_.data() + i * nodes_, nodes_}; }
};

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#include "cycle/score_cache.h"

#include "cycle/in_words.h"
#include "plugin/strict.h"

#include <algorithm>

namespace berth::cycle {

model::Status ScoreCache::run(const Search &search, Signatures &signatures, const Feasible &nodes, ScoreRows &rows,
                              Ranking &totals) {
    nodes_ = &nodes;
    all_cached_ = false;
    if (!open(search, signatures, rows)) return rows.run(search, totals);
    for (std::size_t i = 0; i < signs_.size(); ++i) {
        auto status = signs_[i] ? score_misses(search, rows, i) : rows.score(search, i, nodes.slots, rows.row(i));
        if (!status.success()) return status;
    }
    end_of_scores(search);
    for (std::size_t i = 0; i < signs_.size(); ++i) {
        if (in_sums(i)) continue;
        if (signs_[i]) fetch(i, rows.row(i));
        if (auto status = rows.normalize(search, i); !status.success()) return status;
    }
    return sum(search, rows, totals);
}

/// Finds which plugins sign the search's pod, and the nodes for which they have no valid scores. False: no plugin signs
/// it.
bool ScoreCache::open(const Search &search, Signatures &signatures, const ScoreRows &rows) {
    const auto scorers = rows.scorers();
    key_.clear();
    signs_.assign(scorers.size(), 0);
    summable_.assign(scorers.size(), 0);
    for (std::size_t i = 0; i < scorers.size(); ++i) {
        const plugin::Instance &instance = *scorers[i]->instance;
        signs_[i] = signatures.add(search, instance, i, key_);
        summable_[i] = signs_[i] && !(instance.normalize && instance.normalize->mode == BERTH_NORMALIZE_CUSTOM);
    }
    results_ = nullptr;
    if (key_.empty()) return false;
    results_ = &cache_.of(key_);
    sums_valid_ = results_->sums_valid && !rows.keeps_raw() &&
                  (same_nodes() || std::ranges::equal(results_->nodes, nodes_->slots));
    results_->slots.resize(search.nodes.slots);
    results_->scores.resize(std::max(scorers.size(), results_->scores.size()));
    find_misses(search);
    // Until they have been brought up to date.
    results_->sums_valid = false;
    return true;
}

/// The nodes about which the plugins that sign the pod are called.
void ScoreCache::find_misses(const Search &search) {
    misses_.clear();
    miss_indices_.clear();
    auto look_up = [&](std::uint32_t index) {
        const std::uint32_t slot = nodes_->slots[index];
        if (results_->slots.hit(search, slot)) return;
        misses_.push_back(slot);
        miss_indices_.push_back(index);
    };
    changed_.clear();
    if (results_->sums_valid && same_nodes() && nodes_->add_changed(search, results_->snapshot_id, changed_))
        for (std::uint32_t index : changed_) look_up(index);
    else
        for (std::uint32_t index = 0; index < nodes_->slots.size(); ++index) look_up(index);
}

/// Has plugin `i`, which signs the pod, score the misses.
model::Status ScoreCache::score_misses(const Search &search, const ScoreRows &rows, std::size_t i) {
    auto &cached = results_->scores[i];
    cached.resize(std::max<std::size_t>(search.nodes.slots, cached.size()));
    scores_.resize(misses_.size());
    auto status = rows.score(search, i, misses_, scores_);
    if (!status.success() || misses_.empty()) return status;
    // A cancelled plugin may have left out scores: they are neither kept nor compared.
    if (berth_cancelled(search.call.call())) {
        results_->slots.clear();
        sums_valid_ = false;
    }
    for (std::size_t miss = 0; miss < misses_.size(); ++miss) {
        const std::uint32_t slot = misses_[miss];
        if (results_->slots.valid(search.nodes, slot) && cached[slot] != scores_[miss])
            plugin::violated(*rows.scorers()[i]->instance,
                             "signed " + in_words(search.pod) + " as it did another one, but scores " +
                                 in_words(search.nodes, slot) + " in another way: " + std::to_string(scores_[miss]) +
                                 ", not " + std::to_string(cached[slot]));
        if (in_sums(i)) patch_sums(*rows.scorers()[i], i, miss);
        cached[slot] = scores_[miss];
    }
    return status;
}

/// Puts a new score into the sums. One that changes the others of its plugin, or is out of range, makes them invalid.
void ScoreCache::patch_sums(const plugin::Scorer &scorer, std::size_t i, std::size_t miss) {
    const std::int64_t before = results_->scores[i][misses_[miss]], now = scores_[miss];
    if (before == now) return;
    const auto index = miss_indices_[miss];
    if (scorer.instance->normalize || now < BERTH_SCORE_MIN || now > BERTH_SCORE_MAX) sums_valid_ = false;
    else results_->sums.set(index, added(results_->sums[index], now - before, scorer.weight));
}

/// All plugins that sign the pod have scored the misses.
void ScoreCache::end_of_scores(const Search &search) {
    if (berth_cancelled(search.call.call())) return;
    for (std::uint32_t slot : misses_) results_->slots.set(search.nodes, slot);
}

/// The scores of plugin `i`, which signs the pod, for all nodes, before they are normalized.
void ScoreCache::fetch(std::size_t i, std::span<std::int64_t> row) const {
    const auto &cached = results_->scores[i];
    for (std::size_t index = 0; index < row.size(); ++index) row[index] = cached[nodes_->slots[index]];
}

/// Adds the rows of the summable plugins to the cached sums, those of the others to `totals`.
model::Status ScoreCache::sum(const Search &search, const ScoreRows &rows, Ranking &totals) {
    Ranking &sums = results_->sums;
    if (!sums_valid_) sums.clear(nodes_->slots.size());
    all_cached_ = std::ranges::all_of(summable_, [](char summable) { return summable != 0; });
    if (!all_cached_) totals.clear(nodes_->slots.size());
    for (std::size_t i = 0; i < summable_.size(); ++i) {
        if (in_sums(i)) continue;
        auto status = rows.add_weighted(i, (summable_[i] ? sums : totals).numbers());
        if (!status.success()) return status;
    }
    end_of_sums(search);
    if (all_cached_) return {};
    const auto numbers = totals.numbers();
    for (std::size_t index = 0; index < numbers.size(); ++index) numbers[index] = added(numbers[index], sums[index], 1);
    totals.count();
    return {};
}

/// The sums are complete: kept for the next search with the same nodes.
void ScoreCache::end_of_sums(const Search &search) {
    if (!sums_valid_) {
        results_->sums.count();
        results_->nodes.assign(nodes_->slots.begin(), nodes_->slots.end());
    }
    results_->sums_valid = true;
    results_->version = berth_cancelled(search.call.call()) ? 0 : nodes_->version;
    results_->snapshot_id = search.nodes.snapshot_id;
}

}  // namespace berth::cycle

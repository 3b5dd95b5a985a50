// SPDX-License-Identifier: Apache-2.0
#include "cycle/score_cache.h"

#include "cycle/in_words.h"
#include "plugin/strict.h"

#include <algorithm>

namespace berth::cycle {

void ScoreCache::open(const Search &search, Signatures &signatures, Scorers scorers, const Feasible &nodes,
                      bool every_row) {
    scorers_ = scorers;
    nodes_ = &nodes;
    key_.clear();
    signs_.assign(scorers.size(), 0);
    summable_.assign(scorers.size(), 0);
    for (std::size_t i = 0; i < scorers.size(); ++i) {
        const plugin::Instance &instance = *scorers[i]->instance;
        signs_[i] = signatures.add(search, instance, i, key_);
        summable_[i] = signs_[i] && !(instance.normalize && instance.normalize->mode == BERTH_NORMALIZE_CUSTOM);
    }
    results_ = key_.empty() ? nullptr : &cache_.of(key_);
    sums_valid_ = results_ && results_->sums_valid && !every_row &&
                  (same_nodes() || std::ranges::equal(results_->nodes, nodes.slots));
    if (!results_) return;
    results_->slots.resize(search.nodes.slots);
    results_->scores.resize(std::max(scorers.size(), results_->scores.size()));
    find_misses(search);
    // Until they have been brought up to date.
    results_->sums_valid = false;
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

model::Status ScoreCache::score(const Search &search, std::size_t i, const ScoreCall &call) {
    const plugin::Instance &instance = *scorers_[i]->instance;
    auto &cached = results_->scores[i];
    cached.resize(std::max<std::size_t>(search.nodes.slots, cached.size()));
    if (misses_.empty()) return {};
    scores_.assign(misses_.size(), 0);
    if (auto status = call(instance, misses_, scores_.data()); !status.success()) return status;
    // A cancelled plugin may have left out scores: they are neither kept nor compared.
    if (berth_cancelled(search.call.call())) {
        results_->slots.clear();
        sums_valid_ = false;
    }
    for (std::size_t miss = 0; miss < misses_.size(); ++miss) {
        const std::uint32_t slot = misses_[miss];
        if (results_->slots.valid(search.nodes, slot) && cached[slot] != scores_[miss])
            plugin::violated(instance, "signed " + in_words(search.pod) + " as it did another one, but scores " +
                                           in_words(search.nodes, slot) + " in another way: " +
                                           std::to_string(scores_[miss]) + ", not " + std::to_string(cached[slot]));
        if (in_sums(i)) patch_sums(i, miss);
        cached[slot] = scores_[miss];
    }
    return {};
}

/// Puts a new score into the sums. One that changes the others of its plugin, or is out of range, makes them invalid.
void ScoreCache::patch_sums(std::size_t i, std::size_t miss) {
    const std::int64_t before = results_->scores[i][misses_[miss]], now = scores_[miss];
    if (before == now) return;
    const auto index = miss_indices_[miss];
    if (scorers_[i]->instance->normalize || now < BERTH_SCORE_MIN || now > BERTH_SCORE_MAX) sums_valid_ = false;
    else results_->sums.set(index, added(results_->sums[index], now - before, scorers_[i]->weight));
}

void ScoreCache::end_of_scores(const Search &search) {
    if (!results_ || berth_cancelled(search.call.call())) return;
    for (std::uint32_t slot : misses_) results_->slots.set(search.nodes, slot);
}

void ScoreCache::fetch(std::size_t i, std::span<std::int64_t> row) const {
    const auto &cached = results_->scores[i];
    for (std::size_t index = 0; index < row.size(); ++index) row[index] = cached[nodes_->slots[index]];
}

bool ScoreCache::all_summable() const {
    return results_ && std::ranges::all_of(summable_, [](char summable) { return summable != 0; });
}

Ranking *ScoreCache::sums() {
    if (!results_) return nullptr;
    if (!sums_valid_) results_->sums.clear(nodes_->slots.size());
    return &results_->sums;
}

void ScoreCache::end_of_sums(const Search &search) {
    if (!results_) return;
    if (!sums_valid_) {
        results_->sums.count();
        results_->nodes.assign(nodes_->slots.begin(), nodes_->slots.end());
    }
    results_->sums_valid = true;
    results_->version = berth_cancelled(search.call.call()) ? 0 : nodes_->version;
    results_->snapshot_id = search.nodes.snapshot_id;
}

}  // namespace berth::cycle

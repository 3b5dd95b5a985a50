// SPDX-License-Identifier: Apache-2.0
#include "cycle/score_rows.h"

#include "plugin/meter.h"

#include <algorithm>

namespace berth::cycle {

namespace {

model::Status failed(const plugin::Instance &instance, const std::string &doing, const std::string &what) {
    return {.code = BERTH_STATUS_ERROR,
            .error = doing + " Score plugins: plugin \"" + instance.name + "\" " + what,
            .reasons = {},
            .plugin = instance.name};
}

model::Status out_of_range(const plugin::Instance &instance, std::span<const std::int64_t> scores) {
    auto score = *std::ranges::find_if(scores, [](auto s) { return s < BERTH_SCORE_MIN || s > BERTH_SCORE_MAX; });
    auto status = failed(
        instance, "applying score defaultWeights on",
        "returns an invalid score " + std::to_string(score) + ", it should in the range of [0, 100] after normalizing");
    plugin::misbehaved(instance, ScoreRows::point, status.error);
    return status;
}

}  // namespace

void normalize_scores(std::span<std::int64_t> scores, bool reverse) {
    std::int64_t greatest = 0;
    for (std::int64_t score : scores) greatest = std::max(greatest, score);
    if (greatest == 0) {
        if (reverse) std::fill(scores.begin(), scores.end(), BERTH_SCORE_MAX);
        return;
    }
    for (std::int64_t &score : scores) {
        // Wraps around as upstream's arithmetic does; the range check that follows names the plugin.
        auto scaled =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(BERTH_SCORE_MAX) * static_cast<std::uint64_t>(score)) /
            greatest;
        score = reverse ? BERTH_SCORE_MAX - scaled : scaled;
    }
}

void ScoreRows::begin(Scorers scorers, std::span<const std::uint32_t> slots, bool keep_raw) {
    scorers_ = scorers;
    slots_ = slots;
    keep_raw_ = keep_raw;
    scores_.resize(scorers.size() * slots.size());
    if (keep_raw) raw_.resize(scores_.size());
}

model::Status ScoreRows::run(const Search &search, Ranking &totals) {
    for (std::size_t i = 0; i < scorers_.size(); ++i)
        if (auto status = score(search, i, slots_, row(i)); !status.success()) return status;
    for (std::size_t i = 0; i < scorers_.size(); ++i)
        if (auto status = normalize(search, i); !status.success()) return status;
    totals.clear(slots_.size());
    for (std::size_t i = 0; i < scorers_.size(); ++i)
        if (auto status = add_weighted(i, totals.numbers()); !status.success()) return status;
    totals.count();
    return {};
}

model::Status ScoreRows::score(const Search &search, std::size_t i, std::span<const std::uint32_t> slots,
                               std::span<std::int64_t> scores) const {
    const plugin::Instance &instance = *scorers_[i]->instance;
    std::ranges::fill(scores, 0);
    model::Status status;
    if (!slots.empty()) status = call(search, instance, slots, scores.data());
    if (auto *meter = instance.meter()) meter->evaluated(instance, point, slots_.size());
    if (status.success()) return status;
    return failed(instance, "running", "failed with: " + failure_text(status));
}

model::Status ScoreRows::call(const Search &search, const plugin::Instance &instance,
                              std::span<const std::uint32_t> slots, std::int64_t *scores) const {
    plugin::StatusSlot slot;
    model::Status status = plugin::counted(instance, point, slots.size(), [&] {
        instance.score->score(instance.self, search.call.call(), search.state.handle(), &search.pod, &search.nodes,
                              slots.data(), slots.size(), scores, slot.raw());
    });
    search.call.free_scratch();
    return status.success() ? slot.take(instance, point) : status;
}

model::Status ScoreRows::normalize(const Search &search, std::size_t i) {
    const plugin::Instance &instance = *scorers_[i]->instance;
    const auto scores = row(i);
    if (keep_raw_) std::ranges::copy(scores, raw_.begin() + static_cast<std::ptrdiff_t>(i * slots_.size()));
    if (!instance.normalize) return {};
    if (instance.normalize->mode != BERTH_NORMALIZE_CUSTOM) {
        normalize_scores(scores, instance.normalize->mode == BERTH_NORMALIZE_REVERSE);
        return {};
    }
    plugin::StatusSlot slot;
    model::Status status = plugin::counted(instance, plugin::CalledPoint::NormalizeScore, slots_.size(), [&] {
        instance.normalize->normalize(instance.self, search.call.call(), search.state.handle(), &search.pod,
                                      &search.nodes, slots_.data(), slots_.size(), scores.data(), slot.raw());
    });
    search.call.free_scratch();
    if (status.success()) status = slot.take(instance, "NormalizeScore");
    if (status.success()) return status;
    return failed(instance, "running Normalize on", "failed with: " + failure_text(status));
}

model::Status ScoreRows::add_weighted(std::size_t i, std::span<std::int64_t> totals) const {
    const auto scores = row(i);
    bool valid = true;
    for (std::size_t index = 0; index < scores.size(); ++index) {
        valid &= scores[index] >= BERTH_SCORE_MIN && scores[index] <= BERTH_SCORE_MAX;
        totals[index] = added(totals[index], scores[index], scorers_[i]->weight);
    }
    if (valid) return {};
    return out_of_range(*scorers_[i]->instance, scores);
}

}  // namespace berth::cycle

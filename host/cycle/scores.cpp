// SPDX-License-Identifier: Apache-2.0
#include "cycle/scores.h"

#include "plugin/meter.h"

#include <algorithm>

namespace berth::cycle {

namespace {

model::Status failed(const plugin::Instance &instance, const std::string &text) {
    return {.code = BERTH_STATUS_ERROR, .error = text, .reasons = {}, .plugin = instance.name};
}

std::string plugin_text(const plugin::Instance &instance) { return "plugin \"" + instance.name + "\""; }

model::Status out_of_range(const plugin::Instance &instance, std::span<const std::int64_t> scores) {
    auto score = *std::ranges::find_if(scores, [](auto s) { return s < BERTH_SCORE_MIN || s > BERTH_SCORE_MAX; });
    auto text = "applying score defaultWeights on Score plugins: " + plugin_text(instance) +
                " returns an invalid score " + std::to_string(score) +
                ", it should in the range of [0, 100] after normalizing";
    plugin::misbehaved(instance, "Score", text);
    return failed(instance, text);
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

model::Status Scores::run(const Search &search, Signatures &signatures, const Feasible &nodes, bool keep_raw) {
    nodes_ = nodes.slots.size();
    phase_ = "PreScore";
    plugin::PointTimer preparing(search.profile, phase_);
    auto status = pre_score(search, nodes.slots);
    preparing.end(status.code);
    if (!status.success()) return status;
    phase_ = "Score";
    plugin::PointTimer scoring(search.profile, phase_);
    normalized_.resize(active_.size() * nodes_);
    cache_.open(search, signatures, active_, nodes, keep_raw);
    status = score(search, nodes.slots);
    if (status.success() && keep_raw) raw_ = normalized_;
    if (status.success()) status = normalize(search, nodes.slots);
    if (status.success()) status = sum(search);
    scoring.end(status.code);
    return status;
}

/// Runs PreScore, and finds the plugins that score.
model::Status Scores::pre_score(const Search &search, std::span<const std::uint32_t> slots) {
    active_.clear();
    for (const auto &scorer : search.profile.score) active_.push_back(&scorer);
    for (const plugin::Instance *instance : search.profile.pre_score) {
        plugin::StatusSlot slot;
        model::Status status = plugin::counted(*instance, phase_, 1, [&] {
            instance->pre_score->pre_score(instance->self, search.call.call(), search.state.handle(), &search.pod,
                                           &search.nodes, slots.data(), slots.size(), slot.raw());
        });
        search.call.free_scratch();
        if (status.success()) status = slot.take(*instance, phase_);
        if (auto *meter = instance->meter(); meter && status.code != BERTH_STATUS_SKIP)
            meter->evaluated(*instance, phase_, 1);
        if (status.code == BERTH_STATUS_SKIP)
            std::erase_if(active_, [&](const auto *scorer) { return scorer->instance == instance; });
        else if (!status.success())
            return failed(*instance, "running PreScore " + plugin_text(*instance) + ": " + failure_text(status));
    }
    return {};
}

/// Fills the rows of all plugins, except for those that are in the cached sums.
model::Status Scores::score(const Search &search, std::span<const std::uint32_t> slots) {
    const auto calling = [&](const auto &instance, auto of, auto *out) { return call(search, instance, of, out); };
    for (std::size_t i = 0; i < active_.size(); ++i) {
        const plugin::Instance &instance = *active_[i]->instance;
        model::Status status;
        if (cache_.signs(i)) {
            status = cache_.score(search, i, calling);
        } else {
            std::ranges::fill(row(i), 0);
            status = call(search, instance, slots, row(i).data());
        }
        if (auto *meter = instance.meter()) meter->evaluated(instance, phase_, slots.size());
        if (!status.success())
            return failed(instance,
                          "running Score plugins: " + plugin_text(instance) + " failed with: " + failure_text(status));
    }
    cache_.end_of_scores(search);
    for (std::size_t i = 0; i < active_.size(); ++i)
        if (cache_.signs(i) && !cache_.in_sums(i)) cache_.fetch(i, row(i));
    return {};
}

model::Status Scores::call(const Search &search, const plugin::Instance &instance, std::span<const std::uint32_t> slots,
                           std::int64_t *out) {
    plugin::StatusSlot slot;
    model::Status status = plugin::counted(instance, phase_, slots.size(), [&] {
        instance.score->score(instance.self, search.call.call(), search.state.handle(), &search.pod, &search.nodes,
                              slots.data(), slots.size(), out, slot.raw());
    });
    search.call.free_scratch();
    return status.success() ? slot.take(instance, phase_) : status;
}

model::Status Scores::normalize(const Search &search, std::span<const std::uint32_t> slots) {
    for (std::size_t i = 0; i < active_.size(); ++i) {
        const plugin::Instance &instance = *active_[i]->instance;
        if (!instance.normalize || cache_.in_sums(i)) continue;
        if (instance.normalize->mode != BERTH_NORMALIZE_CUSTOM) {
            normalize_scores(row(i), instance.normalize->mode == BERTH_NORMALIZE_REVERSE);
            continue;
        }
        plugin::StatusSlot slot;
        model::Status status = plugin::counted(instance, "NormalizeScore", slots.size(), [&] {
            instance.normalize->normalize(instance.self, search.call.call(), search.state.handle(), &search.pod,
                                          &search.nodes, slots.data(), slots.size(), row(i).data(), slot.raw());
        });
        search.call.free_scratch();
        if (status.success()) status = slot.take(instance, "NormalizeScore");
        if (!status.success())
            return failed(instance, "running Normalize on Score plugins: " + plugin_text(instance) +
                                        " failed with: " + failure_text(status));
    }
    return {};
}

/// Checks every score and sums them by weight: those of the summable plugins in the cache, the others here.
model::Status Scores::sum(const Search &search) {
    Ranking *cached = cache_.sums();
    const bool all_cached = cache_.all_summable();
    totals_ = all_cached ? cached : &own_totals_;
    if (!all_cached) own_totals_.clear(nodes_);
    for (std::size_t i = 0; i < active_.size(); ++i) {
        if (cache_.in_sums(i)) continue;
        if (!add_row(i, (cache_.summable(i) ? *cached : own_totals_).numbers()))
            return out_of_range(*active_[i]->instance, row(i));
    }
    cache_.end_of_sums(search);
    if (all_cached) return {};
    const auto totals = own_totals_.numbers();
    for (std::size_t index = 0; index < nodes_ && cached; ++index)
        totals[index] = added(totals[index], (*cached)[index], 1);
    own_totals_.count();
    return {};
}

/// Whether every score of the row is in range.
bool Scores::add_row(std::size_t i, std::span<std::int64_t> to) {
    const auto scores = row(i);
    bool valid = true;
    for (std::size_t index = 0; index < nodes_; ++index) {
        valid &= scores[index] >= BERTH_SCORE_MIN && scores[index] <= BERTH_SCORE_MAX;
        to[index] = added(to[index], scores[index], active_[i]->weight);
    }
    return valid;
}

void Scores::add(const std::vector<ExtenderScores> &more) {
    if (totals_ != &own_totals_) own_totals_ = *totals_;
    totals_ = &own_totals_;
    const auto totals = own_totals_.numbers();
    for (const auto &[extender, weight, scores] : more)
        for (std::size_t index = 0; index < nodes_; ++index)
            totals[index] = added(totals[index], scores[index], weight);
    own_totals_.count();
}

}  // namespace berth::cycle

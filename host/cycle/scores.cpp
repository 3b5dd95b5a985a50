// SPDX-License-Identifier: Apache-2.0
#include "cycle/scores.h"

#include "plugin/meter.h"
#include "plugin/strict.h"

#include <algorithm>

namespace berth::cycle {

namespace {

model::Status failed(const plugin::Instance &instance, const std::string &text) {
    return {.code = BERTH_ERROR, .error = text, .reasons = {}, .plugin = instance.name};
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

/// In upstream's arithmetic, which wraps around: the numbers are a stranger's.
std::int64_t added(std::int64_t total, std::int64_t score, std::int64_t weight) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(total) +
                                     static_cast<std::uint64_t>(score) * static_cast<std::uint64_t>(weight));
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
    status = score_all(search, signatures, nodes, keep_raw);
    scoring.end(status.code);
    return status;
}

model::Status Scores::score_all(const Search &search, Signatures &signatures, const Feasible &nodes, bool keep_raw) {
    normalized_.resize(active_.size() * nodes_);
    recall(search, signatures, nodes, keep_raw);
    if (auto status = score(search, nodes.slots); !status.success()) return status;
    if (keep_raw) raw_ = normalized_;
    if (auto status = normalize(search, nodes.slots); !status.success()) return status;
    return add_up(search, nodes);
}

/// Asks PreScore, and finds the plugins that score.
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
        if (auto *meter = plugin::meter(); meter && status.code != BERTH_SKIP) meter->evaluated(*instance, phase_, 1);
        if (status.code == BERTH_SKIP)
            std::erase_if(active_, [&](const auto *scorer) { return scorer->instance == instance; });
        else if (!status.success())
            return failed(*instance, "running PreScore " + plugin_text(*instance) + ": " + failure_text(status));
    }
    return {};
}

/// Finds out which plugins sign the pod, and for which slots they have not scored one like it.
void Scores::recall(const Search &search, Signatures &signatures, const Feasible &nodes, bool keep_raw) {
    key_.clear();
    signs_.assign(active_.size(), 0);
    steady_.assign(active_.size(), 0);
    for (std::size_t i = 0; i < active_.size(); ++i) {
        const plugin::Instance &instance = *active_[i]->instance;
        signs_[i] = signatures.add(search, instance, i, key_);
        steady_[i] = signs_[i] && !(instance.normalize && instance.normalize->mode == BERTH_NORMALIZE_CUSTOM);
    }
    known_ = key_.empty() ? nullptr : &answers_.of(key_);
    summed_ =
        known_ && known_->hold && !keep_raw && (same_list(nodes) || std::ranges::equal(known_->nodes, nodes.slots));
    if (!known_) return;
    known_->slots.resize(search.nodes.slots);
    known_->scores.resize(std::max(active_.size(), known_->scores.size()));
    find_new(search, nodes);
    // Until they have been brought up to date.
    known_->hold = false;
}

/// The nodes that the plugins which sign the pod are asked about.
void Scores::find_new(const Search &search, const Feasible &nodes) {
    new_slots_.clear();
    new_places_.clear();
    auto look = [&](std::uint32_t place) {
        const std::uint32_t slot = nodes.slots[place];
        if (known_->slots.current(search.nodes, slot) && !asked_again(search, slot)) return;
        new_slots_.push_back(slot);
        new_places_.push_back(place);
    };
    places_.clear();
    if (known_->hold && same_list(nodes) && nodes.add_changed(search, known_->as_of, places_))
        for (std::uint32_t place : places_) look(place);
    else
        for (std::uint32_t place = 0; place < nodes_; ++place) look(place);
}

model::Status Scores::score(const Search &search, std::span<const std::uint32_t> slots) {
    for (std::size_t i = 0; i < active_.size(); ++i) {
        const plugin::Instance &instance = *active_[i]->instance;
        model::Status status;
        if (signs_[i]) {
            status = score_new(search, i);
        } else {
            std::ranges::fill(row(i), 0);
            status = ask(search, instance, slots, row(i).data());
        }
        if (auto *meter = plugin::meter()) meter->evaluated(instance, phase_, slots.size());
        if (!status.success())
            return failed(instance,
                          "running Score plugins: " + plugin_text(instance) + " failed with: " + failure_text(status));
    }
    for (std::size_t i = 0; i < active_.size(); ++i)
        if (signs_[i] && !left_out(i)) fetch(i, slots);
    if (known_ && !berth_cancelled(search.call.call()))
        for (std::uint32_t slot : new_slots_) known_->slots.set(search.nodes, slot);
    return {};
}

/// One that signs the pod: asks for the scores that are not known yet.
model::Status Scores::score_new(const Search &search, std::size_t i) {
    const plugin::Instance &instance = *active_[i]->instance;
    auto &known = known_->scores[i];
    known.resize(std::max<std::size_t>(search.nodes.slots, known.size()));
    if (new_slots_.empty()) return {};
    new_scores_.assign(new_slots_.size(), 0);
    if (auto status = ask(search, instance, new_slots_, new_scores_.data()); !status.success()) return status;
    // Who was told that nobody waits any more may have left scores out: they are neither kept nor compared.
    if (berth_cancelled(search.call.call())) {
        known_->slots.clear();
        summed_ = false;
    }
    for (std::size_t n = 0; n < new_slots_.size(); ++n) {
        std::uint32_t slot = new_slots_[n];
        if (known_->slots.current(search.nodes, slot) && known[slot] != new_scores_[n])
            plugin::violated(instance, "signed " + in_words(search.pod) + " as it did another one, but scores " +
                                           in_words(search.nodes, slot) + " in another way: " +
                                           std::to_string(new_scores_[n]) + ", not " + std::to_string(known[slot]));
        if (left_out(i)) patch_sums(i, n);
        known[slot] = new_scores_[n];
    }
    return {};
}

/// Puts a new score of a steady plugin into the sums. One that changes others, or is out of range, ends them.
void Scores::patch_sums(std::size_t i, std::size_t n) {
    const std::int64_t before = known_->scores[i][new_slots_[n]], now = new_scores_[n];
    if (before == now) return;
    if (active_[i]->instance->normalize || now < BERTH_SCORE_MIN || now > BERTH_SCORE_MAX) summed_ = false;
    else known_->sums.set(new_places_[n], added(known_->sums[new_places_[n]], now - before, active_[i]->weight));
}

/// The scores of one that signs the pod, for all nodes.
void Scores::fetch(std::size_t i, std::span<const std::uint32_t> slots) {
    const auto &known = known_->scores[i];
    auto out = row(i);
    for (std::size_t place = 0; place < slots.size(); ++place) out[place] = known[slots[place]];
}

model::Status Scores::ask(const Search &search, const plugin::Instance &instance, std::span<const std::uint32_t> slots,
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
        if (!instance.normalize || left_out(i)) continue;
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

/// Checks every score and sums them by weight, the steady ones first, which are kept for the next search.
model::Status Scores::add_up(const Search &search, const Feasible &nodes) {
    const bool all_steady = known_ && std::ranges::all_of(steady_, [](char steady) { return steady != 0; });
    totals_ = all_steady ? &known_->sums : &own_totals_;
    if (!all_steady) own_totals_.clear(nodes_);
    if (known_ && !summed_) known_->sums.clear(nodes_);
    for (std::size_t i = 0; i < active_.size(); ++i) {
        if (left_out(i)) continue;
        if (!add_row(i, (steady_[i] ? known_->sums : own_totals_).numbers()))
            return out_of_range(*active_[i]->instance, row(i));
    }
    if (known_) keep_sums(search, nodes);
    if (all_steady) return {};
    const auto totals = own_totals_.numbers();
    for (std::size_t place = 0; place < nodes_ && known_; ++place)
        totals[place] = added(totals[place], known_->sums[place], 1);
    own_totals_.count();
    return {};
}

void Scores::keep_sums(const Search &search, const Feasible &nodes) {
    if (!summed_) {
        known_->sums.count();
        known_->nodes.assign(nodes.slots.begin(), nodes.slots.end());
    }
    known_->hold = true;
    known_->id = berth_cancelled(search.call.call()) ? 0 : nodes.id;
    known_->as_of = search.nodes.snapshot_id;
}

/// Whether every score of the row is in range.
bool Scores::add_row(std::size_t i, std::span<std::int64_t> to) {
    const auto scores = row(i);
    bool valid = true;
    for (std::size_t place = 0; place < nodes_; ++place) {
        valid &= scores[place] >= BERTH_SCORE_MIN && scores[place] <= BERTH_SCORE_MAX;
        to[place] = added(to[place], scores[place], active_[i]->weight);
    }
    return valid;
}

void Scores::add(const std::vector<ExtenderScores> &more) {
    if (totals_ != &own_totals_) own_totals_ = *totals_;
    totals_ = &own_totals_;
    const auto totals = own_totals_.numbers();
    for (const auto &[extender, weight, scores] : more)
        for (std::size_t place = 0; place < nodes_; ++place)
            totals[place] = added(totals[place], scores[place], weight);
    own_totals_.count();
}

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#include "cycle/scores.h"

#include "plugin/meter.h"

#include <algorithm>

namespace berth::cycle {

model::Status Scores::run(const Search &search, Signatures &signatures, const Feasible &nodes, bool keep_raw) {
    phase_ = plugin::CalledPoint::PreScore;
    plugin::PointTimer preparing(search.profile, phase_);
    auto status = pre_score(search, nodes.slots);
    preparing.end(status.code);
    if (!status.success()) return status;
    phase_ = ScoreRows::point;
    plugin::PointTimer scoring(search.profile, phase_);
    rows_.begin(active_, nodes.slots, keep_raw);
    status = cache_.run(search, signatures, nodes, rows_, own_totals_);
    scoring.end(status.code);
    totals_ = cache_.cached_totals() ? cache_.cached_totals() : &own_totals_;
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
            return {.code = BERTH_STATUS_ERROR,
                    .error = "running PreScore plugin \"" + instance->name + "\": " + failure_text(status),
                    .reasons = {},
                    .plugin = instance->name};
    }
    return {};
}

void Scores::add(const std::vector<ExtenderScores> &more) {
    if (totals_ != &own_totals_) own_totals_ = *totals_;
    totals_ = &own_totals_;
    const auto totals = own_totals_.numbers();
    for (const auto &[extender, weight, scores] : more)
        for (std::size_t index = 0; index < totals.size(); ++index)
            totals[index] = added(totals[index], scores[index], weight);
    own_totals_.count();
}

}  // namespace berth::cycle

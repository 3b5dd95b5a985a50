// SPDX-License-Identifier: Apache-2.0
#include "cycle/known_verdicts.h"

#include "plugin/strict.h"

namespace berth::cycle {

void KnownVerdicts::Known::clear() {
    slots.clear();
    lists.assign(1, {});
    visit = standing = 0;
}

bool KnownVerdicts::sign(const Search &search, std::span<const plugin::Instance *const> filters) {
    if (std::exchange(signed_, true)) return known_ != nullptr;
    signatures_.clear();
    key_.clear();
    signs_.assign(filters.size(), 0);
    for (std::size_t i = 0; i < filters.size(); ++i) signs_[i] = signatures_.add(search, *filters[i], i, key_);
    known_ = nullptr;
    if (key_.empty()) return false;
    known_ = &answers_.of(key_);
    // Reasons that differ from pod to pod would gather here for ever.
    constexpr std::size_t many = 256;
    if (known_->lists.size() > many) known_->clear();
    known_->slots.resize(search.nodes.slots);
    known_->told.resize(std::max<std::size_t>(search.nodes.slots, known_->told.size()));
    ids_here_.assign(known_->lists.size(), BERTH_NO_REASONS);
    return true;
}

bool KnownVerdicts::worth_a_look(const Search &search, std::uint64_t visit, const WholeVisit &nodes,
                                 std::vector<std::uint32_t> &places) const {
    if (known_->visit != visit) return false;
    places = known_->rejected;
    if (!nodes.add_changed(search, known_->as_of, places)) return false;
    std::ranges::sort(places);
    const auto again = std::ranges::unique(places);
    places.erase(again.begin(), again.end());
    return true;
}

void KnownVerdicts::stand(const Search &search, std::uint64_t visit, std::span<const std::uint32_t> slots,
                          const std::vector<std::uint32_t> *places) {
    rejecting_.clear();
    const bool same_visit = known_->visit == visit;
    known_->visit = 0;
    const auto n = places ? places->size() : slots.size();
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t place = places ? (*places)[i] : i;
        if (!known_->slots.current(search.nodes, slots[place])) {
            known_->standing = 0;
            return;
        }
        if (rejects(slots[place])) rejecting_.push_back(place);
    }
    known_->visit = visit;
    known_->as_of = search.nodes.snapshot_id;
    if (same_visit && known_->standing != 0 && rejecting_ == known_->rejected) return;
    known_->rejected = rejecting_;
    known_->standing = ++last_standing_;
}

std::uint32_t KnownVerdicts::id_here(const Search &search, std::uint32_t list) {
    auto &id = ids_here_[list];
    if (id == BERTH_NO_REASONS) id = search.call.reasons().intern(known_->lists[list]);
    return id;
}

std::uint32_t KnownVerdicts::list_of(const std::vector<std::string> &reasons) {
    auto &lists = known_->lists;
    auto at = std::ranges::find(lists, reasons);
    if (at == lists.end()) {
        at = lists.insert(lists.end(), reasons);
        ids_here_.push_back(BERTH_NO_REASONS);
    }
    return static_cast<std::uint32_t>(at - lists.begin());
}

void KnownVerdicts::keep(const Search &search, std::uint32_t slot, Told told,
                         std::span<const plugin::Instance *const> filters) {
    const auto *reasons = search.call.reasons().find(told.reasons);
    if (!reasons) return;  // an id that nobody gave out
    told.reasons = list_of(*reasons);
    if (known_->slots.current(search.nodes, slot)) compare(search, slot, known_->told[slot], told, filters);
    known_->told[slot] = told;
    known_->slots.set(search.nodes, slot);
}

void KnownVerdicts::compare(const Search &search, std::uint32_t slot, const Told &before, const Told &now,
                            std::span<const plugin::Instance *const> filters) const {
    if (before.code == now.code && before.reasons == now.reasons && before.position == now.position) return;
    auto said = [&](const Told &told) {
        std::string text = model::code_name(told.code);
        for (const auto &reason : known_->lists[told.reasons]) text += " \"" + reason + "\"";
        return text;
    };
    plugin::violated(*filters[std::min(before.position, now.position)],
                     "signed " + in_words(search.pod) + " as it did another one, but judges " +
                         in_words(search.nodes, slot) + " in another way: " + said(now) + ", not " + said(before));
}

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#include "cycle/filter_cache.h"

#include "cycle/in_words.h"
#include "plugin/strict.h"

#include <algorithm>
#include <utility>

namespace berth::cycle {

void FilterCache::Results::clear() {
    slots.clear();
    reason_lists.assign(1, {});
    order_version = feasible_version = 0;
}

void FilterCache::begin_visit(const Search &search, std::span<const std::uint32_t> slots, std::uint32_t start,
                              bool at_once) {
    // Strict checks ask about nodes that have not changed, too.
    in_order_ = at_once && slots.data() == search.nodes.order && search.profile.checks != plugin::Checks::Strict;
    start_ = start;
    forget_visit();
}

void FilterCache::run(const Search &search, Filters filters, FilterCall &call, FilterBatch &batch) {
    const std::uint64_t order_version = in_order_ ? order_.take(search, start_, batch.slots()) : 0;
    if (open(search, filters)) run_signing(search, filters, call, batch, order_version);
    const bool others_reject =
        batch.run(search, filters, call, [&](std::uint32_t position) { return !signs_[position]; });
    feasible_version_ = results_ && order_version != 0 && !others_reject ? results_->feasible_version : 0;
}

Feasible FilterCache::found(std::span<const std::uint32_t> accepted) const {
    if (feasible_version_ == 0) return {.slots = accepted};
    return {.slots = accepted, .version = feasible_version_, .order = &order_, .rejected = results_->rejected};
}

/// Finds the results for the search's pod, once. False: no plugin signs it.
bool FilterCache::open(const Search &search, Filters filters) {
    if (std::exchange(opened_, true)) return results_ != nullptr;
    signatures_.clear();
    key_.clear();
    signs_.assign(filters.size(), 0);
    for (std::size_t i = 0; i < filters.size(); ++i) signs_[i] = signatures_.add(search, *filters[i], i, key_);
    results_ = nullptr;
    if (key_.empty()) return false;
    results_ = &cache_.of(key_);
    // Reasons that differ from pod to pod would gather here for ever.
    constexpr std::size_t many = 256;
    if (results_->reason_lists.size() > many) results_->clear();
    results_->slots.resize(search.nodes.slots);
    results_->verdicts.resize(std::max<std::size_t>(search.nodes.slots, results_->verdicts.size()));
    reasons_here_.assign(results_->reason_lists.size(), BERTH_NO_REASONS);
    return true;
}

/// The verdicts of the plugins that sign the pod: cached ones, and for the misses new ones.
void FilterCache::run_signing(const Search &search, Filters filters, FilterCall &call, FilterBatch &batch,
                              std::uint64_t order_version) {
    misses_.begin();
    miss_indices_.clear();
    const bool all = order_version == 0 || !find_changed(search, order_version);
    if (all)
        for (std::uint32_t i = 0; i < batch.slots().size(); ++i) look_up(search, filters, batch, i);
    else
        for (std::uint32_t index : changed_) look_up(search, filters, batch, index);
    misses_.run(search, filters, call, [&](std::uint32_t position) { return signs_[position] != 0; });
    for (std::size_t i = 0; i < miss_indices_.size(); ++i) {
        const Verdict verdict = misses_[i];
        if (!verdict.success()) batch.set(miss_indices_[i], verdict);
        if (verdict.success() || verdict.rejected()) store(search, filters, misses_.slots()[i], verdict);
    }
    if (order_version != 0) end_of_order(search, batch, order_version, all);
}

/// Finds the nodes of the order that were rejected or have changed since the last batch of it, into changed_; all
/// others are known to be accepted. False: any node may differ.
bool FilterCache::find_changed(const Search &search, std::uint64_t order_version) {
    if (results_->order_version != order_version) return false;
    changed_ = results_->rejected;
    if (!order_.add_changed(search, results_->snapshot_id, changed_)) return false;
    std::ranges::sort(changed_);
    const auto again = std::ranges::unique(changed_);
    changed_.erase(again.begin(), again.end());
    return true;
}

/// Takes the cached verdict of a node, or puts the node among the misses.
void FilterCache::look_up(const Search &search, Filters filters, FilterBatch &batch, std::uint32_t index) {
    const std::uint32_t slot = batch.slots()[index];
    if (!batch.all_accepted() && batch.verdicts()[index].with_nominated) return;
    if (!results_->slots.hit(search, slot)) {
        misses_.add(slot);
        miss_indices_.push_back(index);
        return;
    }
    const Cached &cached = results_->verdicts[slot];
    if (cached.position == Verdict::no_position) return;
    batch.set(index, {cached.code, reasons_here(search, cached.reasons), filters[cached.position], cached.position});
}

/// Stores a success or a rejection. If the cache has another valid verdict, names the plugin whose result differs.
void FilterCache::store(const Search &search, Filters filters, std::uint32_t slot, const Verdict &verdict) {
    const auto *reasons = search.call.reasons().find(verdict.reasons);
    if (!reasons) return;  // an id that was never given out
    const Cached now{verdict.code, list_of(*reasons), verdict.position};
    if (results_->slots.valid(search.nodes, slot)) compare(search, filters, slot, now);
    results_->verdicts[slot] = now;
    results_->slots.set(search.nodes, slot);
}

/// After a batch of all nodes, or of those in changed_: if every verdict is valid, the next batch needs only the
/// changed nodes, and the accepted nodes have a version, the same one if they are the same nodes.
void FilterCache::end_of_order(const Search &search, const FilterBatch &batch, std::uint64_t order_version, bool all) {
    auto &results = *results_;
    rejected_.clear();
    const bool same_order = results.order_version == order_version;
    results.order_version = 0;
    const auto n = all ? batch.slots().size() : changed_.size();
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t index = all ? i : changed_[i];
        const std::uint32_t slot = batch.slots()[index];
        if (!results.slots.valid(search.nodes, slot)) {
            results.feasible_version = 0;
            return;
        }
        if (results.verdicts[slot].position != Verdict::no_position) rejected_.push_back(index);
    }
    results.order_version = order_version;
    results.snapshot_id = search.nodes.snapshot_id;
    if (same_order && results.feasible_version != 0 && rejected_ == results.rejected) return;
    results.rejected = rejected_;
    results.feasible_version = ++last_version_;
}

/// The id of a list in this search.
std::uint32_t FilterCache::reasons_here(const Search &search, std::uint32_t list) {
    auto &id = reasons_here_[list];
    if (id == BERTH_NO_REASONS) id = search.call.reasons().intern(results_->reason_lists[list]);
    return id;
}

std::uint32_t FilterCache::list_of(const std::vector<std::string> &reasons) {
    auto &lists = results_->reason_lists;
    auto at = std::ranges::find(lists, reasons);
    if (at == lists.end()) {
        at = lists.insert(lists.end(), reasons);
        reasons_here_.push_back(BERTH_NO_REASONS);
    }
    return static_cast<std::uint32_t>(at - lists.begin());
}

void FilterCache::compare(const Search &search, Filters filters, std::uint32_t slot, const Cached &now) const {
    const Cached &before = results_->verdicts[slot];
    if (before.code == now.code && before.reasons == now.reasons && before.position == now.position) return;
    auto said = [&](const Cached &cached) {
        std::string text = model::code_name(cached.code);
        for (const auto &reason : results_->reason_lists[cached.reasons]) text += " \"" + reason + "\"";
        return text;
    };
    plugin::violated(*filters[std::min(before.position, now.position)],
                     "signed " + in_words(search.pod) + " as it did another one, but judges " +
                         in_words(search.nodes, slot) + " in another way: " + said(now) + ", not " + said(before));
}

}  // namespace berth::cycle

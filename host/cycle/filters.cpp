// SPDX-License-Identifier: Apache-2.0
#include "cycle/filters.h"

#include <algorithm>

namespace berth::cycle {

namespace {

constexpr std::string_view point = "Filter";

/// A search with a limit is cut into batches of at least this size: a batch may judge nodes in vain, a call costs too.
constexpr std::uint32_t smallest_batch = 64;

/// Marks a node on which the plugin threw.
constexpr std::int32_t code_thrown = INT32_MIN;

bool is_rejection(std::int32_t code) {
    return code == BERTH_UNSCHEDULABLE || code == BERTH_UNSCHEDULABLE_AND_UNRESOLVABLE || code == BERTH_PENDING;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

std::uint32_t nodes_to_find(std::uint32_t nodes, std::int32_t percentage) {
    constexpr std::uint32_t least = 100;
    if (nodes < least) return nodes;
    std::int64_t percent = percentage;
    if (percent == 0) percent = std::max<std::int64_t>(5, 50 - static_cast<std::int64_t>(nodes) / 125);
    return std::max(least, static_cast<std::uint32_t>(nodes * percent / 100));
}

void Filters::begin(const Search &search, std::vector<const plugin::Instance *> active) {
    ++search_;
    active_ = std::move(active);
    by_slot_.resize(search.nodes.slots);
    visited_.clear();
    feasible_.clear();
    failed_ = 0;
}

model::Status Filters::visit(const Search &search, std::span<const std::uint32_t> slots, std::uint32_t start,
                             std::uint32_t limit) {
    const auto total = static_cast<std::uint32_t>(slots.size());
    for (std::uint32_t done = 0; done < total && feasible_.size() < limit;) {
        std::uint32_t wanted = limit - static_cast<std::uint32_t>(feasible_.size());
        std::uint32_t n = std::min(total - done, limit >= total ? total : std::max(wanted, smallest_batch));
        batch_.resize(n);
        slots_.resize(n);
        std::uint32_t at = (start + done) % total, from = at;
        for (std::uint32_t i = 0; i < n; ++i, at = at + 1 == total ? 0 : at + 1) slots_[i] = slots[at];
        judge(search, n);
        at = from;
        for (std::uint32_t i = 0; i < n && feasible_.size() < limit; ++i, at = at + 1 == total ? 0 : at + 1) {
            const Verdict &verdict = batch_[i];
            if (verdict.code != BERTH_SUCCESS &&
                (!is_rejection(verdict.code) ||
                 (search.profile.checks != plugin::Checks::Off && !search.call.reasons().find(verdict.reasons))))
                return failure(search, slots[at], verdict);
            keep(slots[at], verdict);
        }
        done += n;
    }
    return {};
}

void Filters::keep(std::uint32_t slot, const Verdict &verdict) {
    Verdict &kept = by_slot_[slot];
    // The nominated node may be visited a second time.
    bool again = kept.search == search_;
    if (!again) visited_.push_back(slot);
    if (again && kept.code != BERTH_SUCCESS) --failed_;
    kept = verdict;
    kept.search = search_;
    if (verdict.code == BERTH_SUCCESS) feasible_.push_back(slot);
    else ++failed_;
}

/// Judges slots_[0..n) into batch_: each plugin sees the nodes that the earlier ones let through.
void Filters::judge(const Search &search, std::uint32_t n) {
    places_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        places_[i] = i;
        batch_[i] = Verdict{};
    }
    for (const plugin::Instance *instance : active_) {
        if (slots_.empty()) return;
        call(search, *instance);
        std::size_t alive = 0;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (codes_[i] == BERTH_SUCCESS) {
                slots_[alive] = slots_[i];
                places_[alive++] = places_[i];
            } else {
                batch_[places_[i]] = Verdict{0, codes_[i], reasons_[i], instance};
            }
        }
        slots_.resize(alive);
        places_.resize(alive);
    }
}

/// Fills codes_ and reasons_ for slots_.
void Filters::call(const Search &search, const plugin::Instance &instance) {
    codes_.assign(slots_.size(), BERTH_NOT_EVALUATED);
    reasons_.assign(slots_.size(), BERTH_NO_REASONS);
    model::Status thrown = plugin::guard(instance, point, [&] {
        instance.filter->filter(instance.self, search.call.call(), search.state.handle(), &search.pod, &search.nodes,
                                slots_.data(), slots_.size(), codes_.data(), reasons_.data());
    });
    search.call.free_scratch();
    if (thrown.success()) return;
    std::fill(codes_.begin(), codes_.end(), code_thrown);
    thrown_ = failure_text(thrown);
}

model::Status Filters::failure(const Search &search, std::uint32_t slot, const Verdict &verdict) const {
    std::string why, node = quoted(model::view(search.nodes.name[slot]));
    const auto *reasons = search.call.reasons().find(verdict.reasons);
    model::Status judged = plugin::judged(*verdict.plugin, point, verdict.code);
    if (verdict.code == code_thrown) {
        why = thrown_;
    } else if (verdict.code == BERTH_NOT_EVALUATED) {
        why = "left node " + node + " without a verdict";
    } else if (is_rejection(verdict.code)) {
        why = "gave reasons " + std::to_string(verdict.reasons) + " for node " + node + ", an id it never got";
    } else if (verdict.code == BERTH_ERROR && reasons && !reasons->empty()) {
        why = model::Status{BERTH_ERROR, {}, *reasons, {}}.message();
    } else if (verdict.code == BERTH_ERROR) {
        why = "failed on node " + node + " without a text";
    } else if (judged.code == BERTH_ERROR) {
        why = judged.error;
    } else {
        why = "answered " + model::code_name(verdict.code) + " for node " + node + ", which is no verdict";
    }
    return {.code = BERTH_ERROR,
            .error = "running " + quoted(verdict.plugin->name) + " filter plugin: " + why,
            .reasons = {},
            .plugin = verdict.plugin->name};
}

model::Status Filters::verdict(const Search &search, std::uint32_t slot) const {
    const Verdict &verdict = by_slot_[slot];
    if (verdict.search != search_ || verdict.code == BERTH_SUCCESS) return {};
    const auto *reasons = search.call.reasons().find(verdict.reasons);
    return {.code = verdict.code,
            .error = {},
            .reasons = reasons ? *reasons : std::vector<std::string>{},
            .plugin = verdict.plugin->name};
}

void Filters::add_rejectors(Rejectors &rejectors) const {
    const plugin::Instance *last = nullptr;
    for (std::uint32_t slot : visited_) {
        const Verdict &verdict = by_slot_[slot];
        if (verdict.code == BERTH_SUCCESS) continue;
        if (verdict.plugin != last || verdict.code == BERTH_PENDING) rejectors.add(verdict.plugin, verdict.code);
        last = verdict.plugin;
    }
}

void Filters::count_reasons(const Search &search, ReasonCounts &counts) const {
    // Lists of reasons are interned, so nodes are counted per list first.
    std::map<std::uint32_t, std::uint64_t> lists;
    for (std::uint32_t slot : visited_)
        if (by_slot_[slot].code != BERTH_SUCCESS) ++lists[by_slot_[slot].reasons];
    for (const auto &[id, nodes] : lists)
        if (const auto *texts = search.call.reasons().find(id))
            for (const auto &text : *texts) counts[text] += nodes;
}

}  // namespace berth::cycle

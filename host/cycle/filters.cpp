// SPDX-License-Identifier: Apache-2.0
#include "cycle/filters.h"

#include "cluster/trial.h"
#include "cycle/extensions.h"
#include "plugin/meter.h"

#include <algorithm>

namespace berth::cycle {

namespace {

/// A search with a limit is cut into batches of at least this size: a batch may judge nodes in vain, a call costs too.
constexpr std::uint32_t smallest_batch = 64;

/// Does the pod that a node is promised to come before the one that is searched for?
bool comes_first(const model::Pod &promised, const berth_pod &pod) {
    return promised.view.priority >= pod.priority && promised.uid() != model::view(pod.uid);
}

}  // namespace

std::uint32_t nodes_to_find(std::uint32_t nodes, std::int32_t percentage) {
    constexpr std::uint32_t least = 100;
    if (nodes < least) return nodes;
    std::int64_t percent = percentage;
    if (percent == 0) percent = std::max<std::int64_t>(5, 50 - static_cast<std::int64_t>(nodes) / 125);
    return std::max(least, static_cast<std::uint32_t>(nodes * percent / 100));
}

void Filters::begin(const Search &search, Participants active) {
    ++search_;
    active_ = std::move(active);
    known_.begin();
    by_slot_.resize(search.nodes.slots);
    find_promised(search);
    broken_ = {};
    visited_.clear();
    feasible_.clear();
    failed_ = 0;
}

void Filters::find_promised(const Search &search) {
    any_promised_ = false;
    if (search.nominations.empty()) return;
    promised_.resize(search.nodes.slots);
    search.nominations.each_node([&](std::string_view node, std::span<const model::PodPtr> pods) {
        if (std::none_of(pods.begin(), pods.end(), [&](const auto &pod) { return comes_first(*pod, search.pod); }))
            return;
        std::uint32_t slot = search.nodes.find(&search.nodes, model::to_str(node));
        if (slot == BERTH_NO_SLOT) return;
        promised_[slot] = search_;
        any_promised_ = true;
    });
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
            if (!stands(search, verdict)) return failure(search, slots[at], verdict);
            keep(slots[at], verdict);
        }
        done += n;
    }
    return {};
}

/// Whether it is a verdict, and not a failure.
bool Filters::stands(const Search &search, const Verdict &verdict) const {
    if (verdict.code == BERTH_SUCCESS) return true;
    return is_rejection(verdict.code) &&
           (search.profile.checks == plugin::Checks::Off || search.call.reasons().find(verdict.reasons));
}

void Filters::keep(std::uint32_t slot, const Verdict &verdict) {
    Verdict &kept = by_slot_[slot];
    // The nominated node may be visited a second time.
    bool again = kept.search == search_;
    if (!again) visited_.push_back(slot);
    bool counted = again && kept.counted;
    kept = verdict;
    kept.search = search_;
    kept.counted = counted;
    if (verdict.code == BERTH_SUCCESS) feasible_.push_back(slot);
    else count(kept);
}

/// As upstream's NodeToStatus: a node that an extender has rejected stays counted when the plugins let it through
/// again.
void Filters::count(Verdict &rejected) {
    if (!rejected.counted) ++failed_;
    rejected.counted = true;
}

void Filters::narrow(const Search &search, ExtenderVerdicts verdicts, const plugin::Instance *who) {
    for (std::uint32_t slot : feasible_) by_slot_[slot].search = 0;
    for (std::uint32_t slot : verdicts.left) by_slot_[slot].search = search_;
    for (auto &[slot, code, reason] : verdicts.rejected) {
        Verdict &kept = by_slot_[slot];
        kept = {search_,     code, search.call.reasons().intern({std::move(reason)}), who, KnownVerdicts::nobody,
                kept.counted};
        count(kept);
    }
    std::erase_if(visited_, [&](std::uint32_t slot) { return by_slot_[slot].search != search_; });
    feasible_ = std::move(verdicts.left);
}

/// Judges slots_[0..n) into batch_: the first plugin that rejects a node is the one that counts.
void Filters::judge(const Search &search, std::uint32_t n) {
    places_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        places_[i] = i;
        batch_[i] = Verdict{};
    }
    if (any_promised_) judge_promised(search);
    if (known_.sign(search, active_.filters)) recall(search);
    ask_those(search, false, slots_, places_);
    if (plugin::meter()) count_asked(places_);
}

/// What the plugins that sign the pod say: what they said before, where it still holds.
void Filters::recall(const Search &search) {
    new_slots_.clear();
    new_places_.clear();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (known_.holds(search, slots_[i])) {
            const auto told = known_.told(search, slots_[i]);
            if (told.position == KnownVerdicts::nobody) continue;
            batch_[places_[i]] = Verdict{0, told.code, told.reasons, active_.filters[told.position], told.position};
        } else {
            new_slots_.push_back(slots_[i]);
            new_places_.push_back(places_[i]);
        }
    }
    ask_those(search, true, new_slots_, new_places_);
    for (std::size_t i = 0; i < new_slots_.size(); ++i) {
        const Verdict &verdict = batch_[new_places_[i]];
        if (verdict.code == BERTH_SUCCESS || is_rejection(verdict.code))
            known_.keep(search, new_slots_[i], {verdict.code, verdict.reasons, verdict.position}, active_.filters);
    }
}

/// Asks the plugins that sign the pod, or the others; each sees the nodes that no earlier one has rejected.
void Filters::ask_those(const Search &search, bool that_sign, std::vector<std::uint32_t> slots,
                        std::vector<std::uint32_t> places) {
    for (std::uint32_t position = 0; position < active_.filters.size(); ++position) {
        if (known_.signs(position) != that_sign) continue;
        std::size_t left = 0;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (batch_[places[i]].position <= position) continue;
            slots[left] = slots[i];
            places[left++] = places[i];
        }
        if (left == 0) return;
        slots.resize(left);
        places.resize(left);
        const plugin::Instance &instance = *active_.filters[position];
        codes_.assign(left, BERTH_NOT_EVALUATED);
        reasons_.assign(left, BERTH_NO_REASONS);
        ask(search, instance, slots, codes_.data(), reasons_.data());
        for (std::size_t i = 0; i < left; ++i)
            if (codes_[i] != BERTH_SUCCESS) batch_[places[i]] = Verdict{0, codes_[i], reasons_[i], &instance, position};
    }
}

/// Whether a plugin was asked or had answered before makes no difference to what is counted.
void Filters::count_asked(std::span<const std::uint32_t> places) {
    ended_.assign(active_.filters.size() + 1, {});
    for (std::uint32_t place : places) {
        const Verdict &verdict = batch_[place];
        auto &[nodes, rejected] = ended_[std::min<std::size_t>(verdict.position, active_.filters.size())];
        ++nodes;
        rejected += is_rejection(verdict.code);
    }
    std::size_t asked = places.size();
    for (std::size_t i = 0; i < active_.filters.size() && asked > 0; asked -= ended_[i++].first)
        count(*active_.filters[i], asked, ended_[i].second);
}

void Filters::count(const plugin::Instance &instance, std::size_t nodes, std::size_t rejected) {
    auto *meter = plugin::meter();
    if (!meter) return;
    meter->evaluated(instance, point, nodes);
    if (rejected > 0) meter->rejected(instance, point, rejected);
}

/// The first pass: leaves those in slots_ that also take the pod with the pods on them that come first.
void Filters::judge_promised(const Search &search) {
    std::size_t alive = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        Verdict verdict;
        if (promised_[slots_[i]] == search_) verdict = with_promised_pods(search, slots_[i]);
        if (verdict.code != BERTH_SUCCESS) {
            batch_[places_[i]] = verdict;
            continue;
        }
        slots_[alive] = slots_[i];
        places_[alive++] = places_[i];
    }
    slots_.resize(alive);
    places_.resize(alive);
}

Filters::Verdict Filters::with_promised_pods(const Search &search, std::uint32_t slot) {
    auto state = search.state.clone();
    if (!state) {
        return broken({.code = BERTH_ERROR,
                       .error = "the pod's cycle state could not be copied: the clone of a plugin threw",
                       .reasons = {},
                       .plugin = {}});
    }
    cluster::Trial trial(search.cache, slot);
    const Search with{search.profile, search.pod, *state, search.call, search.nodes, search.cache, search.nominations};
    for (const auto &pod : search.nominations.on(model::view(search.nodes.name[slot]))) {
        if (!comes_first(*pod, search.pod)) continue;
        trial.put(*pod);
        auto status = tell_extensions(with, active_.extensions, Change::Added, pod->view, slot);
        if (!status.success()) return broken(std::move(status));
    }
    return ask_all(with, slot);
}

/// The first one is told, as it would be if the nodes were tried one after the other.
Filters::Verdict Filters::broken(model::Status status) {
    if (broken_.success()) broken_ = std::move(status);
    return {0, code_broken, BERTH_NO_REASONS, nullptr};
}

/// What the plugins say about one node, up to the first that rejects it.
Filters::Verdict Filters::ask_all(const Search &search, std::uint32_t slot) {
    for (const plugin::Instance *instance : active_.filters) {
        Verdict verdict{0, BERTH_NOT_EVALUATED, BERTH_NO_REASONS, instance};
        ask(search, *instance, {&slot, 1}, &verdict.code, &verdict.reasons);
        count(*instance, 1, is_rejection(verdict.code));
        if (verdict.code != BERTH_SUCCESS) return verdict;
    }
    return {};
}

model::Status Filters::judge_one(const Search &search, std::uint32_t slot) {
    broken_ = {};
    Verdict verdict;
    if (any_promised_ && promised_[slot] == search_) verdict = with_promised_pods(search, slot);
    if (verdict.code == BERTH_SUCCESS) verdict = ask_all(search, slot);
    return stands(search, verdict) ? rejection(search, verdict) : failure(search, slot, verdict);
}

/// One plugin about some nodes.
void Filters::ask(const Search &search, const plugin::Instance &instance, std::span<const std::uint32_t> slots,
                  std::int32_t *codes, std::uint32_t *reasons) {
    model::Status thrown = plugin::counted(instance, point, slots.size(), [&] {
        instance.filter->filter(instance.self, search.call.call(), search.state.handle(), &search.pod, &search.nodes,
                                slots.data(), slots.size(), codes, reasons);
    });
    search.call.free_scratch();
    if (thrown.success()) return;
    std::fill_n(codes, slots.size(), code_thrown);
    thrown_ = failure_text(thrown);
}

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#include "cycle/filters.h"

#include "cycle/nominated_pods.h"
#include "plugin/meter.h"

#include <algorithm>

namespace berth::cycle {

namespace {

/// A search with a limit is cut into batches of at least this size: a batch may judge nodes in vain, a call costs too.
constexpr std::uint32_t smallest_batch = 64;

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
    find_promised(search);
    broken_ = {};
    visited_.clear();
    feasible_.clear();
    rejected_.clear();
    failed_ = 0;
    counted_ = BERTH_NO_SLOT;
    feasible_id_ = 0;
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
    const bool first = visited_.empty();
    // Strict checks ask about nodes that have not changed, too.
    const bool whole = first && limit >= total && slots.data() == search.nodes.order && !any_promised_ &&
                       search.profile.checks != plugin::Checks::Strict;
    feasible_id_ = visit_ = 0;
    for (std::uint32_t done = 0; done < total && feasible_.size() < limit;) {
        const std::uint32_t wanted = limit - static_cast<std::uint32_t>(feasible_.size());
        const std::uint32_t n = std::min(total - done, limit >= total ? total : std::max(wanted, smallest_batch));
        const std::uint32_t from = (start + done) % total, to_end = std::min(n, total - from);
        slots_.assign(slots.begin() + from, slots.begin() + from + to_end);
        slots_.insert(slots_.end(), slots.begin(), slots.begin() + (n - to_end));
        if (whole) visit_ = whole_.take(search, start, slots_);
        judge(search);
        done += n;
        if (first && batch_.empty()) {
            const auto end = slots_.begin() + std::min(n, wanted);
            visited_.insert(visited_.end(), slots_.begin(), end);
            feasible_.insert(feasible_.end(), slots_.begin(), end);
            continue;
        }
        batch_.resize(n);
        for (std::uint32_t i = 0; i < n && feasible_.size() < limit; ++i) {
            if (!stands(search, batch_[i])) return failure(search, slots_[i], batch_[i]);
            keep(slots_[i], batch_[i]);
        }
    }
    if (visit_ != 0 && !others_reject_) feasible_id_ = known_.standing_id();
    return {};
}

/// Whether it is a verdict, and not a failure.
bool Filters::stands(const Search &search, const Verdict &verdict) const {
    if (verdict.code == BERTH_SUCCESS) return true;
    return is_rejection(verdict.code) &&
           (search.profile.checks == plugin::Checks::Off || search.call.reasons().find(verdict.reasons));
}

void Filters::keep(std::uint32_t slot, const Verdict &verdict) {
    // Only the nominated node is visited a second time: it was the first then, and it was rejected.
    if (visited_.empty() || slot != visited_.front()) {
        visited_.push_back(slot);
    } else {
        rejected_.erase(rejected_.begin());
        counted_ = slot;
    }
    if (verdict.code == BERTH_SUCCESS) return feasible_.push_back(slot);
    count(slot);
    rejected_.insert(slot == visited_.front() ? rejected_.begin() : rejected_.end(), Rejected{verdict, slot});
}

/// As upstream's NodeToStatus: a node that an extender has rejected stays counted when the plugins let it through
/// again.
void Filters::narrow(const Search &search, ExtenderVerdicts verdicts, const plugin::Instance *who) {
    std::vector<char> gone(search.nodes.slots);
    for (std::uint32_t slot : feasible_) gone[slot] = 1;
    for (std::uint32_t slot : verdicts.left) gone[slot] = 0;
    for (auto &[slot, code, reason] : verdicts.rejected) {
        gone[slot] = 0;
        rejected_.push_back({{code, search.call.reasons().intern({std::move(reason)}), who}, slot});
        count(slot);
    }
    std::erase_if(visited_, [&](std::uint32_t slot) { return gone[slot]; });
    std::vector<std::uint32_t> place(search.nodes.slots);
    for (std::uint32_t i = 0; i < visited_.size(); ++i) place[visited_[i]] = i;
    std::ranges::sort(rejected_, {}, [&](const Rejected &rejected) { return place[rejected.slot]; });
    feasible_ = std::move(verdicts.left);
    feasible_id_ = 0;
}

Feasible Filters::found() const {
    if (feasible_id_ == 0) return {.slots = feasible_};
    return {.slots = feasible_, .id = feasible_id_, .visit = &whole_, .rejected = known_.rejected()};
}

/// Judges slots_ into batch_: the first plugin that rejects a node is the one that counts.
void Filters::judge(const Search &search) {
    batch_.clear();
    others_reject_ = false;
    if (any_promised_) judge_promised(search);
    if (known_.sign(search, active_.filters)) recall(search);
    ask_those(search, false, slots_, batch_);
    if (plugin::meter()) count_asked();
}

void Filters::set(std::size_t place, const Verdict &verdict) {
    batch_.resize(slots_.size());
    batch_[place] = verdict;
}

/// What the plugins that sign the pod say: what they said before, where it still holds.
void Filters::recall(const Search &search) {
    new_slots_.clear();
    new_places_.clear();
    const bool all = visit_ == 0 || !known_.worth_a_look(search, visit_, whole_, places_);
    if (all)
        for (std::uint32_t i = 0; i < slots_.size(); ++i) look(search, i);
    else
        for (std::uint32_t place : places_) look(search, place);
    new_.clear();
    ask_those(search, true, new_slots_, new_);
    for (std::size_t i = 0; i < new_slots_.size(); ++i) {
        const Verdict verdict = new_.empty() ? Verdict{} : new_[i];
        if (verdict.code != BERTH_SUCCESS) set(new_places_[i], verdict);
        if (verdict.code == BERTH_SUCCESS || is_rejection(verdict.code))
            known_.keep(search, new_slots_[i], {verdict.code, verdict.reasons, verdict.position}, active_.filters);
    }
    if (visit_ != 0) known_.stand(search, visit_, slots_, all ? nullptr : &places_);
}

/// Takes what is known of one of slots_, or puts it among the new ones.
void Filters::look(const Search &search, std::uint32_t place) {
    const std::uint32_t slot = slots_[place];
    if (any_promised_ && !batch_.empty() && batch_[place].promised) return;
    if (!known_.holds(search, slot)) {
        new_slots_.push_back(slot);
        new_places_.push_back(place);
    } else if (known_.rejects(slot)) {
        const auto told = known_.told(search, slot);
        set(place, {told.code, told.reasons, active_.filters[told.position], told.position});
    }
}

/// Asks the plugins that sign the pod, or the others; each sees the nodes that no earlier one has rejected.
void Filters::ask_those(const Search &search, bool that_sign, std::span<const std::uint32_t> slots,
                        std::vector<Verdict> &verdicts) {
    for (std::uint32_t position = 0; position < active_.filters.size(); ++position) {
        if (known_.signs(position) != that_sign) continue;
        const auto left = still_asked(position, slots, verdicts);
        if (left.empty()) return;
        const plugin::Instance &instance = *active_.filters[position];
        codes_.assign(left.size(), BERTH_NOT_EVALUATED);
        reasons_.assign(left.size(), BERTH_NO_REASONS);
        ask(search, instance, left, codes_.data(), reasons_.data());
        if (std::ranges::all_of(codes_, [](auto code) { return code == BERTH_SUCCESS; })) continue;
        others_reject_ |= !that_sign;
        const bool all = verdicts.empty();
        verdicts.resize(slots.size());
        for (std::size_t i = 0; i < left.size(); ++i)
            if (codes_[i] != BERTH_SUCCESS)
                verdicts[all ? i : left_places_[i]] = {codes_[i], reasons_[i], &instance, position};
    }
}

/// The slots that no plugin before that position has rejected; unless these are all, their places are in left_places_.
std::span<const std::uint32_t> Filters::still_asked(std::uint32_t position, std::span<const std::uint32_t> slots,
                                                    const std::vector<Verdict> &verdicts) {
    if (verdicts.empty()) return slots;
    left_.clear();
    left_places_.clear();
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        if (verdicts[i].promised || verdicts[i].position <= position) continue;
        left_.push_back(slots[i]);
        left_places_.push_back(i);
    }
    return left_;
}

/// Whether a plugin was asked or had answered before makes no difference to what is counted.
void Filters::count_asked() {
    ended_.assign(active_.filters.size(), {});
    std::size_t asked = slots_.size();
    for (const Verdict &verdict : batch_) {
        if (verdict.promised) --asked;
        else if (verdict.position != KnownVerdicts::nobody) {
            auto &[nodes, rejected] = ended_[verdict.position];
            ++nodes;
            rejected += is_rejection(verdict.code);
        }
    }
    for (std::size_t i = 0; i < active_.filters.size() && asked > 0; asked -= ended_[i++].first)
        count(*active_.filters[i], asked, ended_[i].second);
}

void Filters::count(const plugin::Instance &instance, std::size_t nodes, std::size_t rejected) {
    auto *meter = plugin::meter();
    if (!meter) return;
    meter->evaluated(instance, point, nodes);
    if (rejected > 0) meter->rejected(instance, point, rejected);
}

/// The first pass: those that do not take the pod with the pods on them that come first.
void Filters::judge_promised(const Search &search) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (promised_[slots_[i]] != search_) continue;
        Verdict verdict = with_promised_pods(search, slots_[i]);
        verdict.promised = true;
        if (verdict.code != BERTH_SUCCESS) set(i, verdict);
    }
}

Filters::Verdict Filters::with_promised_pods(const Search &search, std::uint32_t slot) {
    const WithNominatedPods with(search, active_.extensions, slot);
    return with.status().success() ? ask_all(with.search(), slot) : broken(with.status());
}

/// The first one is told, as it would be if the nodes were tried one after the other.
Filters::Verdict Filters::broken(model::Status status) {
    if (broken_.success()) broken_ = std::move(status);
    return {code_broken, BERTH_NO_REASONS, nullptr};
}

/// What the plugins say about one node, up to the first that rejects it.
Filters::Verdict Filters::ask_all(const Search &search, std::uint32_t slot) {
    for (const plugin::Instance *instance : active_.filters) {
        Verdict verdict{BERTH_NOT_EVALUATED, BERTH_NO_REASONS, instance};
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

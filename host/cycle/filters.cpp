// SPDX-License-Identifier: Apache-2.0
#include "cycle/filters.h"
#include "model/look_ups.h"

#include "cycle/nominated_pods.h"
#include "plugin/meter.h"

#include <algorithm>

namespace berth::cycle {

namespace {

/// A search with a limit is cut into batches of at least this size: a batch may judge nodes in vain, a call costs too.
constexpr std::uint32_t smallest_batch = 64;

void count(const plugin::Instance &instance, std::size_t nodes, std::size_t rejected) {
    auto *meter = instance.meter();
    if (!meter) return;
    meter->evaluated(instance, FilterCall::point, nodes);
    if (rejected > 0) meter->rejected(instance, FilterCall::point, rejected);
}

}  // namespace

void Filters::begin(const Search &search, Participants active) {
    ++search_;
    active_ = std::move(active);
    cache_.begin();
    find_nominated(search);
    nominated_failure_ = {};
    visited_.clear();
    feasible_.clear();
    rejected_.clear();
    rejected_count_ = 0;
    rejected_before_ = BERTH_NO_SLOT;
}

void Filters::find_nominated(const Search &search) {
    any_nominated_ = false;
    if (search.nominations.empty()) return;
    nominated_.resize(search.nodes.slots);
    search.nominations.each_node([&](std::string_view node, std::span<const model::PodPtr> pods) {
        if (std::none_of(pods.begin(), pods.end(), [&](const auto &pod) { return comes_first(*pod, search.pod); }))
            return;
        std::uint32_t slot = model::find_node(search.nodes, model::to_str(node));
        if (slot == BERTH_NO_SLOT) return;
        nominated_[slot] = search_;
        any_nominated_ = true;
    });
}

model::Status Filters::visit(const Search &search, std::span<const std::uint32_t> slots, std::uint32_t start,
                             std::uint32_t limit) {
    const auto total = static_cast<std::uint32_t>(slots.size());
    const bool first = visited_.empty();
    cache_.begin_visit(search, slots, start, first && limit >= total && !any_nominated_);
    for (std::uint32_t done = 0; done < total && feasible_.size() < limit;) {
        const std::uint32_t wanted = limit - static_cast<std::uint32_t>(feasible_.size());
        const std::uint32_t n = std::min(total - done, limit >= total ? total : std::max(wanted, smallest_batch));
        const std::uint32_t from = (start + done) % total, to_end = std::min(n, total - from);
        batch_.begin();
        batch_.add(slots.subspan(from, to_end));
        batch_.add(slots.first(n - to_end));
        run_batch(search);
        done += n;
        if (first && batch_.all_accepted()) {
            const auto accepted = batch_.slots().first(std::min(n, wanted));
            visited_.insert(visited_.end(), accepted.begin(), accepted.end());
            feasible_.insert(feasible_.end(), accepted.begin(), accepted.end());
            continue;
        }
        for (std::uint32_t i = 0; i < n && feasible_.size() < limit; ++i) {
            const Verdict verdict = batch_[i];
            if (!is_verdict(search, verdict)) return failure(search, batch_.slots()[i], verdict);
            keep(batch_.slots()[i], verdict);
        }
    }
    return {};
}

/// Judges the batch: the first plugin that rejects a node is the one that counts.
void Filters::run_batch(const Search &search) {
    if (any_nominated_) run_with_nominated(search);
    cache_.run(search, active_.filters, call_, batch_);
    if (search.profile.meter()) count_evaluated();
}

/// The first pass: nodes that do not take the pod with their nominated pods on them.
void Filters::run_with_nominated(const Search &search) {
    for (std::size_t i = 0; i < batch_.slots().size(); ++i) {
        const std::uint32_t slot = batch_.slots()[i];
        if (nominated_[slot] != search_) continue;
        Verdict verdict = run_with_nominated(search, slot);
        verdict.with_nominated = true;
        if (!verdict.success()) batch_.set(i, verdict);
    }
}

Verdict Filters::run_with_nominated(const Search &search, std::uint32_t slot) {
    const WithNominatedPods with(search, active_.extensions, slot);
    if (with.status().success()) return run_one(with.search(), slot);
    // The first failure is shown, as if the nodes were tried one after the other.
    if (nominated_failure_.success()) nominated_failure_ = with.status();
    return {.code = code_not_tried};
}

/// What the plugins say about one node, up to the first that rejects it.
Verdict Filters::run_one(const Search &search, std::uint32_t slot) {
    for (const plugin::Instance *instance : active_.filters) {
        Verdict verdict{.code = BERTH_STATUS_NOT_EVALUATED, .plugin = instance};
        call_(search, *instance, {&slot, 1}, &verdict.code, &verdict.reasons);
        count(*instance, 1, verdict.rejected() ? 1 : 0);
        if (!verdict.success()) return verdict;
    }
    return {};
}

model::Status Filters::judge_one(const Search &search, std::uint32_t slot) {
    nominated_failure_ = {};
    Verdict verdict;
    if (any_nominated_ && nominated_[slot] == search_) verdict = run_with_nominated(search, slot);
    if (verdict.success()) verdict = run_one(search, slot);
    return is_verdict(search, verdict) ? rejection(search, verdict) : failure(search, slot, verdict);
}

/// Whether it is a verdict, and not a failure.
bool Filters::is_verdict(const Search &search, const Verdict &verdict) const {
    if (verdict.success()) return true;
    return verdict.rejected() &&
           (search.profile.checks == plugin::Checks::Off || search.call.reasons().find(verdict.reasons));
}

void Filters::keep(std::uint32_t slot, const Verdict &verdict) {
    // Only the nominated node is visited a second time: it was the first then, and it was rejected.
    if (visited_.empty() || slot != visited_.front()) {
        visited_.push_back(slot);
    } else {
        rejected_.erase(rejected_.begin());
        rejected_before_ = slot;
    }
    if (verdict.success()) return feasible_.push_back(slot);
    count_rejected(slot);
    rejected_.insert(slot == visited_.front() ? rejected_.begin() : rejected_.end(), Rejected{verdict, slot});
}

/// As upstream's NodeToStatus: a node that an extender has rejected stays counted when the plugins let it through
/// again.
void Filters::apply_extenders(const Search &search, ExtenderVerdicts verdicts, const plugin::Instance *who) {
    std::vector<char> gone(search.nodes.slots);
    for (std::uint32_t slot : feasible_) gone[slot] = 1;
    for (std::uint32_t slot : verdicts.left) gone[slot] = 0;
    for (auto &[slot, code, reason] : verdicts.rejected) {
        gone[slot] = 0;
        rejected_.push_back({{code, search.call.reasons().intern({std::move(reason)}), who}, slot});
        count_rejected(slot);
    }
    std::erase_if(visited_, [&](std::uint32_t slot) { return gone[slot]; });
    std::vector<std::uint32_t> index(search.nodes.slots);
    for (std::uint32_t i = 0; i < visited_.size(); ++i) index[visited_[i]] = i;
    std::ranges::sort(rejected_, {}, [&](const Rejected &rejected) { return index[rejected.slot]; });
    feasible_ = std::move(verdicts.left);
    cache_.forget_visit();
}

/// A plugin counts as evaluated whether it was called or its verdict was cached.
void Filters::count_evaluated() {
    ended_.assign(active_.filters.size(), {});
    std::size_t left = batch_.slots().size();
    for (const Verdict &verdict : batch_.verdicts()) {
        if (verdict.with_nominated) --left;
        else if (verdict.position != Verdict::no_position) {
            auto &[nodes, rejected] = ended_[verdict.position];
            ++nodes;
            rejected += verdict.rejected() ? 1 : 0;
        }
    }
    for (std::size_t i = 0; i < active_.filters.size() && left > 0; left -= ended_[i++].first)
        count(*active_.filters[i], left, ended_[i].second);
}

}  // namespace berth::cycle

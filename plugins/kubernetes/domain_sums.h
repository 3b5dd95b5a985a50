// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Sums of pod counts per domain of topology keys, with the changes of a dry run.

#include "topology.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace kubernetes {

/// The counts in the domains of one key, with the changes of a dry run.
struct DomainSums {
    /// A tenant chooses how many terms a pod has, and each has a column as long as there are nodes: more than this many
    /// are added up at once.
    static constexpr std::size_t few = 64;

    std::shared_ptr<const TopologyKey> key;
    std::vector<std::shared_ptr<const DomainCounts>> parts;
    std::vector<std::pair<std::uint32_t, std::int64_t>> changed;  ///< each domain once

    void count(std::shared_ptr<const DomainCounts> part) {
        parts.push_back(std::move(part));
        if (parts.size() <= few) return;
        auto all = std::make_shared<DomainCounts>(key);
        for (const auto &p : parts) p->each([&](std::uint32_t domain, std::int64_t n) { all->add(domain, n); });
        parts.assign(1, std::move(all));
    }
    void change(std::uint32_t domain, std::int64_t n) { change(changed, domain, n); }
    /// A dry run concerns one node, so the list is short, regardless of the number of pods and terms.
    static void change(std::vector<std::pair<std::uint32_t, std::int64_t>> &changed, std::uint32_t domain,
                       std::int64_t n) {
        for (auto &[d, by] : changed)
            if (d == domain) return void(by += n);
        changed.emplace_back(domain, n);
    }
    std::int64_t of(std::uint32_t domain) const {
        std::int64_t n = 0;
        for (const auto &p : parts) n += p->of(domain);
        for (const auto &[d, by] : changed)
            if (d == domain) n += by;
        return n;
    }
    std::int64_t total() const {
        std::int64_t n = 0;
        for (const auto &p : parts) n += p->total();
        for (const auto &[d, by] : changed) n += by;
        return n;
    }
    /// By domain.
    std::vector<std::int64_t> column() const {
        std::vector<std::int64_t> out(key->width());
        for (const auto &p : parts) p->add_to(out, 1);
        for (const auto &[d, by] : changed) out[d] += by;
        return out;
    }
};
using SumsByKey = std::vector<DomainSums>;

/// Counts of several keys, each with a weight. Of one key, those that are many are added up at once, as above.
class WeightedCounts {
    std::vector<std::pair<std::shared_ptr<const DomainCounts>, std::int64_t>> parts_;
    std::size_t most_ = DomainSums::few;

    void add_up() {
        std::vector<std::shared_ptr<DomainCounts>> sums;
        for (const auto &[counts, weight] : parts_) {
            auto at = std::find_if(sums.begin(), sums.end(),
                                   [&, &of = counts->key()](const auto &sum) { return &sum->key() == &of; });
            if (at == sums.end()) at = sums.insert(at, std::make_shared<DomainCounts>(counts->shared_key()));
            counts->each([&, by = weight](std::uint32_t domain, std::int64_t n) { (*at)->add(domain, by * n); });
        }
        parts_.clear();
        for (auto &sum : sums) parts_.emplace_back(std::move(sum), 1);
        most_ = DomainSums::few + 2 * parts_.size();
    }

public:
    void add(std::shared_ptr<const DomainCounts> counts, std::int64_t weight) {
        parts_.emplace_back(std::move(counts), weight);
        if (parts_.size() > most_) add_up();
    }
    bool empty() const { return parts_.empty(); }
    auto begin() const { return parts_.begin(); }
    auto end() const { return parts_.end(); }
    std::size_t size() const { return parts_.size(); }
};

/// In which domains of a key there is anybody. Good for as long as the sums stay as they are.
class Presence {
    const DomainSums *sums_;
    std::vector<std::int64_t> by_domain_;  ///< empty: not worth it

public:
    /// `nodes`: how many will be queried.
    Presence(const DomainSums &sums, std::size_t nodes) : sums_(&sums) {
        if (sums.key->width() <= 2 * nodes) by_domain_ = sums.column();
    }

    std::uint32_t domain_of(std::uint32_t slot) const { return sums_->key->of(slot); }
    bool anybody_in(std::uint32_t domain) const {
        return (by_domain_.empty() ? sums_->of(domain) : by_domain_[domain]) > 0;
    }
};

}  // namespace kubernetes

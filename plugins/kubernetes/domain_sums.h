// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topology.h"

#include <memory>
#include <utility>
#include <vector>

namespace kubernetes {

/// What is counted in the domains of one key, with what a trial has added or taken away.
struct DomainSums {
    std::shared_ptr<const TopologyKey> key;
    std::vector<std::shared_ptr<const DomainCounts>> parts;
    std::vector<std::pair<std::uint32_t, std::int64_t>> changed;  ///< each domain once

    void change(std::uint32_t domain, std::int64_t n) { change(changed, domain, n); }
    /// A trial is about one node, so that the list is short, however many pods and terms it is about.
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

/// In which domains of a key there is anybody. Good for as long as the sums stay as they are.
class Presence {
    const DomainSums *sums_;
    std::vector<std::int64_t> by_domain_;  ///< empty: not worth it

public:
    /// `nodes`: how many will be asked about.
    Presence(const DomainSums &sums, std::size_t nodes) : sums_(&sums) {
        if (sums.key->width() <= 2 * nodes) by_domain_ = sums.column();
    }

    std::uint32_t domain_of(std::uint32_t slot) const { return sums_->key->of(slot); }
    bool anybody_in(std::uint32_t domain) const {
        return (by_domain_.empty() ? sums_->of(domain) : by_domain_[domain]) > 0;
    }
};

}  // namespace kubernetes

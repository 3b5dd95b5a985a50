// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Matching pods per domain, and the two emptiest domains (upstream: criticalPaths).

#include "domain_sums.h"

#include <array>

namespace kubernetes {

/// Matching pods per domain, over the nodes that count.
class SpreadSums {
    std::shared_ptr<const DomainCounts> followed_;  // all nodes count
    std::shared_ptr<const std::vector<std::int64_t>> own_;
    std::vector<std::pair<std::uint32_t, std::int64_t>> changed_;  // in a dry run

public:
    SpreadSums() = default;
    explicit SpreadSums(std::shared_ptr<const DomainCounts> followed) : followed_(std::move(followed)) {}
    explicit SpreadSums(std::vector<std::int64_t> own)
        : own_(std::make_shared<const std::vector<std::int64_t>>(std::move(own))) {}
    std::int64_t of(std::uint32_t domain) const {
        std::int64_t n = followed_ ? followed_->of(domain) : own_ && domain < own_->size() ? (*own_)[domain] : 0;
        for (const auto &[d, by] : changed_)
            if (d == domain) n += by;
        return n;
    }
    void change(std::uint32_t domain, std::int64_t by) { DomainSums::change(changed_, domain, by); }
};

/// The two emptiest domains. As upstream, a dry run that adds and removes pods remembers no others.
struct EmptiestDomains {
    struct Path {
        std::uint32_t domain = TopologyKey::none;
        std::int64_t pods = INT32_MAX;
    };
    std::array<Path, 2> paths;

    void update(std::uint32_t domain, std::int64_t pods) {
        auto &[first, second] = paths;
        if (domain == first.domain || domain == second.domain) {
            (domain == first.domain ? first : second).pods = pods;
            if (first.pods > second.pods) std::swap(first, second);
        } else if (pods < first.pods) {
            second = first;
            first = {domain, pods};
        } else if (pods < second.pods) {
            second = {domain, pods};
        }
    }
};

}  // namespace kubernetes

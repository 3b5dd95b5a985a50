// SPDX-License-Identifier: Apache-2.0

// The domains of a topology key, when codes are given to other values.

#include "catch.h"

#include "../../../plugins/kubernetes/domain_sums.h"

using kubernetes::DomainCounts;
using kubernetes::TopologyKey;

TEST_CASE("topology: the domain of the empty value is known while a node is in it, and no longer", "[sim]") {
    TopologyKey key;
    key.domain.assign(4, TopologyKey::none);
    key.put(0, 7, true);
    key.put(1, 2, false);
    CHECK(key.empty_value == 7);
    CHECK(key.domains == 2);
    // Between two looks the code has got another meaning; the node that comes to it is read before the one that leaves.
    key.put(2, 7, false);
    CHECK(key.empty_value == TopologyKey::none);
    key.put(0, 3, false);
    CHECK(key.empty_value == TopologyKey::none);
    CHECK(key.nodes[7] == 1);
    // The other way round: it is the empty value now, and the node stays where it was.
    key.put(2, 7, true);
    CHECK(key.empty_value == 7);
    key.put(2, TopologyKey::none, false);
    CHECK(key.empty_value == TopologyKey::none);
    CHECK(key.domains == 2);
    CHECK(key.nodes_with == 2);
}

namespace {

/// A hundred domains with a node each.
std::shared_ptr<const TopologyKey> hundred() {
    auto key = std::make_shared<TopologyKey>();
    key->domain.assign(100, TopologyKey::none);
    for (std::uint32_t i = 0; i < 100; ++i) key->put(i, i, false);
    return key;
}

/// One pod in every `step`th domain.
std::shared_ptr<DomainCounts> counts(const std::shared_ptr<const TopologyKey> &key, std::uint32_t step) {
    auto out = std::make_shared<DomainCounts>(key);
    for (std::uint32_t i = 0; i < 100; i += step) out->add(i, 1);
    return out;
}

}  // namespace

TEST_CASE("domain sums: what thousands of terms count is added up, not kept", "[sim]") {
    const auto key = hundred();
    kubernetes::DomainSums sums{key, {}, {}};
    std::vector<std::weak_ptr<DomainCounts>> alive;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        auto one = counts(key, 1 + i % 3);
        alive.push_back(one);
        sums.count(std::move(one));
    }
    CHECK(std::ranges::count_if(alive, [](const auto &one) { return !one.expired(); }) <= 64);
    // 334 in each domain, 333 in each second and third.
    CHECK(sums.of(1) == 334);
    CHECK(sums.of(2) == 667);
    CHECK(sums.of(3) == 667);
    CHECK(sums.of(6) == 1000);
    CHECK(sums.total() == 334 * 100 + 333 * 50 + 333 * 34);
    CHECK(sums.column()[6] == 1000);
    sums.change(6, -1);
    CHECK(sums.of(6) == 999);
}

TEST_CASE("domain sums: weights are added up by key, and none is lost", "[sim]") {
    const std::vector keys{hundred(), hundred()};
    kubernetes::WeightedCounts weighted;
    std::vector<std::weak_ptr<DomainCounts>> alive;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        auto one = counts(keys[i % 2], i % 2 + 1);
        alive.push_back(one);
        // Those of the first key cancel each other out.
        weighted.add(std::move(one), i % 2 ? 3 : i % 4 ? 1 : -1);
    }
    CHECK(std::ranges::count_if(alive, [](const auto &one) { return !one.expired(); }) <= 70);
    std::int64_t here[2][2] = {};
    for (const auto &[of, weight] : weighted)
        for (std::uint32_t domain : {0, 1}) here[&of->key() == keys[1].get()][domain] += weight * of->of(domain);
    CHECK(here[0][0] == 0);
    CHECK(here[0][1] == 0);
    CHECK(here[1][0] == 1500);
    CHECK(here[1][1] == 0);
    CHECK_FALSE(weighted.empty());
}

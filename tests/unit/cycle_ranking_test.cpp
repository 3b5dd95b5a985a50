// SPDX-License-Identifier: Apache-2.0
#include "cycle/ranking.h"

#include "catch.h"

#include <algorithm>
#include <random>

using namespace berth;

TEST_CASE("ranking: after any changes the greatest is the one that a look at each finds", "[cycle]") {
    for (unsigned seed = 1; seed <= 30; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(seed);
        std::vector<std::int64_t> numbers(1 + random() % 300);
        for (auto &number : numbers) number = static_cast<std::int64_t>(random() % 5) - 3;
        cycle::Ranking ranking;
        ranking.clear(numbers.size());
        std::ranges::copy(numbers, ranking.numbers().begin());
        ranking.count();
        for (int step = 0; step < 200; ++step) {
            std::vector<std::size_t> best;
            for (std::size_t place = 0; place < numbers.size(); ++place)
                if (numbers[place] == std::ranges::max(numbers)) best.push_back(place);
            const std::uint64_t chance = random();
            CHECK(ranking.greatest(chance) == best[chance % best.size()]);
            const auto place = best[random() % best.size()];
            const auto number = static_cast<std::int64_t>(random() % 7) - 4;
            ranking.set(place, numbers[place] = number);
            CHECK(ranking[place] == number);
        }
    }
}

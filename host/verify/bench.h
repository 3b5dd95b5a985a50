// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth plugin bench`: a plugin's time and heap use at each extension point. The cluster is made up or
/// given.

#include "verify/heap_counter.h"
#include "verify/test.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::verify {

inline constexpr int bench_rounds = 9;

struct BenchOrder {
    std::size_t nodes = 5000, placed = 10000;
    std::size_t pods = 100;  ///< that the plugin evaluates in each round
};

/// One extension point.
struct PointCost {
    std::string_view point;
    std::string_view per;                      ///< what a unit is: "node", "pod", "pair" or "call"
    std::uint64_t calls = 0, units = 0;        ///< of a round
    double ns = 0, least_ns = 0, most_ns = 0;  ///< of a unit: the median of the rounds, the quickest, the slowest
    double allocations = 0, bytes = 0;         ///< of a call, on average
};

struct Bench {
    std::string plugin, version;
    std::vector<PointCost> points{};
    std::vector<std::string_view> not_called{};  ///< points that it has and that no pod got as far as
};

/// The time is taken in rounds, each with the same pods made anew; heap use in a round of its own afterwards. The error
/// says why there is none: the plugin cannot be made, or gives answers that are none.
model::Result<Bench> bench(Run &run, const BenchOrder &order);

}  // namespace berth::verify

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The number of feasible nodes to find, by percentageOfNodesToScore (upstream: numFeasibleNodesToFind).

#include <algorithm>
#include <cstdint>

namespace berth::cycle {

/// `percentage` is the profile's percentageOfNodesToScore; 0 adapts it to the number of nodes.
inline std::uint32_t nodes_to_find(std::uint32_t nodes, std::int32_t percentage) {
    constexpr std::uint32_t least = 100;
    if (nodes < least) return nodes;
    std::int64_t percent = percentage;
    if (percent == 0) percent = std::max<std::int64_t>(5, 50 - static_cast<std::int64_t>(nodes) / 125);
    return std::max(least, static_cast<std::uint32_t>(nodes * percent / 100));
}

}  // namespace berth::cycle

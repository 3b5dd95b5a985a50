// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The limit of requests per second (`qps`, `burst`): client-go's token bucket (util/flowcontrol).

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace berth::kube {

class RateLimit {
    double per_second_ = -1, most_ = 0, tokens_ = 0;
    std::int64_t last_ns_ = 0;

public:
    /// Without a limit.
    RateLimit() = default;
    /// `qps` below zero: without one.
    RateLimit(double qps, std::int32_t burst) : per_second_(qps), most_(burst), tokens_(burst) {}

    /// Takes one; how long to wait until it may be sent, after those before it.
    std::int64_t take(std::int64_t monotonic_ns) {
        constexpr double second_ns = 1e9;
        if (per_second_ < 0) return 0;
        auto passed = static_cast<double>(monotonic_ns - last_ns_) / second_ns;
        last_ns_ = monotonic_ns;
        tokens_ = std::min(tokens_ + passed * per_second_, most_) - 1;
        return tokens_ >= 0 ? 0 : static_cast<std::int64_t>(std::ceil(-tokens_ / per_second_ * second_ns));
    }
};

}  // namespace berth::kube

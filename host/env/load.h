// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How much the event loop has had to do recently, which decides whether it rests.

#include <cstddef>
#include <cstdint>

namespace berth::env {

/// Times are those of one monotonic clock.
class Load {
    static constexpr std::int64_t window_ns = 50'000'000;
    /// Between two handlers: some 150 pods a second. Messages that come alone need three times as many as those that
    /// come in crowds.
    static constexpr std::int64_t begin_ns = 500'000, end_ns = 1'500'000;

    std::int64_t handled_ = 0;
    std::int64_t since_ns_ = 0;
    bool high_ = false;

public:
    /// Returns whether there were any.
    bool handled(std::size_t handlers) {
        handled_ += static_cast<std::int64_t>(handlers);
        return handlers > 0;
    }
    bool is_high(std::int64_t now_ns) {
        if (now_ns - since_ns_ >= window_ns) {
            high_ = handled_ * (high_ ? end_ns : begin_ns) >= now_ns - since_ns_;
            handled_ = 0;
            since_ns_ = now_ns;
        }
        return high_;
    }
};

}  // namespace berth::env

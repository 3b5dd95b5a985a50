// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How long the event loop pauses under high load, so that messages gather.

#include <algorithm>
#include <cstdint>
#include <optional>

namespace berth::env {

/// Times are those of one monotonic clock. A rest ends when work is due, but not before the shortest time has passed
/// since the end of the one before: otherwise a stream of close deadlines would end each rest before anything gathers.
class Rests {
    std::optional<std::int64_t> ended_ns_;

public:
    static constexpr std::int64_t shortest_ns = 5'000'000, longest_ns = 25'000'000;

    /// Of the rest that begins now.
    std::int64_t length_ns(std::int64_t now_ns, std::int64_t until_work_ns) const {
        const auto least_ns = ended_ns_ ? *ended_ns_ + shortest_ns - now_ns : 0;
        return std::min(longest_ns, std::max(until_work_ns, least_ns));
    }
    void end(std::int64_t now_ns) { ended_ns_ = now_ns; }
};

}  // namespace berth::env

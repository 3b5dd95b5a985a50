// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Times in RFC 3339, as Kubernetes writes them. The scheduler counts nanoseconds since the epoch, UTC.

#include <berth/time.hpp>

#include <cstdint>
#include <string>

namespace berth::model {

using berth::parse_time;

/// Of a duration in nanoseconds.
constexpr double in_seconds(std::int64_t ns) {
    constexpr double second_ns = 1e9;
    return static_cast<double>(ns) / second_ns;
}

/// "2026-01-01T00:00:00.000000Z", as decision records have it; what is below a microsecond is cut off.
std::string format_time(std::int64_t ns);

/// "2026-01-01T00:00:00Z": seconds since the epoch as objects have their times, of the years 0 to 9999.
std::string format_seconds(std::int64_t s);

}  // namespace berth::model

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Times as Kubernetes writes them. The scheduler counts nanoseconds since the epoch, UTC.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::model {

/// An RFC 3339 time such as "2026-01-01T00:00:00Z" or "2026-01-01T01:00:00.25+01:00"; digits beyond nanoseconds are cut
/// off. Nothing if the text is none, or before 1678 or after 2261, which 64 bits cannot count.
std::optional<std::int64_t> parse_time(std::string_view text);

/// "2026-01-01T00:00:00.000000Z", as decision records have it; what is below a microsecond is cut off.
std::string format_time(std::int64_t ns);

}  // namespace berth::model

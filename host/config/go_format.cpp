// SPDX-License-Identifier: Apache-2.0
#include "config/go_format.h"

#include "decode/write.h"

#include <cstdint>

namespace berth::config {

std::string duration_text(std::chrono::nanoseconds duration) {
    auto left = duration.count();
    bool negative = left < 0;
    auto magnitude = negative ? 0 - static_cast<std::uint64_t>(left) : static_cast<std::uint64_t>(left);
    if (magnitude == 0) return "0s";
    auto decimal = [](std::uint64_t n, std::uint64_t unit) {
        std::string out = std::to_string(n / unit);
        std::string fraction = std::to_string(unit + n % unit).substr(1);
        fraction.erase(fraction.find_last_not_of('0') + 1);
        return fraction.empty() ? out : out + '.' + fraction;
    };
    std::string out = negative ? "-" : "";
    if (magnitude < 1'000) return out + std::to_string(magnitude) + "ns";
    if (magnitude < 1'000'000) return out + decimal(magnitude, 1'000) + "µs";
    if (magnitude < 1'000'000'000) return out + decimal(magnitude, 1'000'000) + "ms";
    constexpr std::uint64_t minute = 60'000'000'000, hour = 60 * minute;
    if (magnitude >= hour) out += std::to_string(magnitude / hour) + 'h';
    if (magnitude >= minute) out += std::to_string(magnitude % hour / minute) + 'm';
    return out + decimal(magnitude % minute, 1'000'000'000) + 's';
}

std::string quoted(std::string_view text) {
    std::string out;
    decode::append_json_string(out, text);
    return out;
}

}  // namespace berth::config

// SPDX-License-Identifier: Apache-2.0
#include "decode/fields.h"

#include <array>
#include <limits>
#include <utility>

namespace berth::decode {
namespace {

__extension__ typedef unsigned __int128 Wide;

/// The nanoseconds of the unit that `text` begins with, which is taken away; 0 when there is none.
std::uint64_t take_unit(std::string_view &text) {
    static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> units{{
        {"ns", 1},
        {"us", 1'000},
        {"\u00B5s", 1'000},
        {"\u03BCs", 1'000},
        {"ms", 1'000'000},
        {"s", 1'000'000'000},
        {"m", 60'000'000'000},
        {"h", 3'600'000'000'000},
    }};
    for (const auto &[name, size] : units) {
        // "m" must not take the beginning of "ms", which stands before it.
        if (!text.starts_with(name)) continue;
        text.remove_prefix(name.size());
        return size;
    }
    return 0;
}

bool digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
    constexpr Wide limit = Wide{1} << 63;
    bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text == "0") return std::chrono::nanoseconds{0};
    if (text.empty()) return std::nullopt;
    Wide total = 0;
    while (!text.empty()) {
        Wide whole = 0, fraction = 0, scale = 1;
        bool digits = false;
        for (; !text.empty() && digit(text.front()); text.remove_prefix(1), digits = true) {
            whole = whole * 10 + static_cast<unsigned>(text.front() - '0');
            if (whole > limit) return std::nullopt;
        }
        if (text.starts_with('.')) {
            text.remove_prefix(1);
            for (; !text.empty() && digit(text.front()); text.remove_prefix(1), digits = true) {
                // What is far below a nanosecond even of an hour does not count.
                if (scale > Wide{1'000'000'000'000'000'000}) continue;
                fraction = fraction * 10 + static_cast<unsigned>(text.front() - '0');
                scale *= 10;
            }
        }
        Wide unit = digits ? take_unit(text) : 0;
        if (unit == 0) return std::nullopt;
        total += whole * unit + fraction * unit / scale;
        if (total > limit) return std::nullopt;
    }
    if (total == limit && !negative) return std::nullopt;
    if (total == limit) return std::chrono::nanoseconds{std::numeric_limits<std::int64_t>::min()};
    auto n = static_cast<std::int64_t>(total);
    return std::chrono::nanoseconds{negative ? -n : n};
}

}  // namespace berth::decode

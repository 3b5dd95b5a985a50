// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parser and format of Kubernetes' times and durations. The scheduler counts nanoseconds since the epoch, UTC.

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace berth {

namespace detail::time {

__extension__ typedef unsigned __int128 Wide;

/// The nanoseconds of the unit that `text` begins with, which is taken away; 0 when there is none.
inline std::uint64_t take_unit(std::string_view &text) {
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

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline constexpr std::int64_t second_ns = 1'000'000'000;

/// Reads a time from its start to its end; `ok` turns false for good at the first thing that is not there.
struct Reader {
    std::string_view left;
    bool ok = true;

    int number(std::size_t digits) {
        int n = 0;
        for (std::size_t i = 0; i < digits; ++i) n = n * 10 + digit();
        return n;
    }
    int digit() {
        if (left.empty() || left.front() < '0' || left.front() > '9') {
            ok = false;
            return 0;
        }
        const int d = left.front() - '0';
        left.remove_prefix(1);
        return d;
    }
    char one_of(std::string_view expected) {
        if (left.empty() || expected.find(left.front()) == std::string_view::npos) {
            ok = false;
            return 0;
        }
        const char c = left.front();
        left.remove_prefix(1);
        return c;
    }
    bool at_digit() const { return !left.empty() && left.front() >= '0' && left.front() <= '9'; }
    int within(int n, int least, int most) {
        ok = ok && n >= least && n <= most;
        return n;
    }
};

}  // namespace detail::time

/// An RFC 3339 time such as "2026-01-01T00:00:00Z" or "2026-01-01T01:00:00.25+01:00"; digits beyond nanoseconds are cut
/// off. Nothing if the text is none, or before 1678 or after 2261, which 64 bits cannot count.
inline std::optional<std::int64_t> parse_time(std::string_view text) {
    using namespace std::chrono;
    detail::time::Reader in{text};
    const year y{in.number(4)};
    in.one_of("-");
    const month m{static_cast<unsigned>(in.number(2))};
    in.one_of("-");
    const day d{static_cast<unsigned>(in.number(2))};
    in.one_of("T");
    std::int64_t seconds = in.within(in.number(2), 0, 23) * 3600;
    in.one_of(":");
    seconds += in.within(in.number(2), 0, 59) * 60;
    in.one_of(":");
    seconds += in.within(in.number(2), 0, 59);
    std::int64_t fraction = 0;
    if (in.left.starts_with('.')) {
        in.left.remove_prefix(1);
        std::int64_t unit = detail::time::second_ns / 10;
        do {
            fraction += in.digit() * unit;
            unit /= 10;
        } while (in.at_digit());
    }
    if (const char zone = in.one_of("Z+-"); zone != 'Z') {
        const int hours = in.within(in.number(2), 0, 23);
        in.one_of(":");
        const int offset = hours * 3600 + in.within(in.number(2), 0, 59) * 60;
        seconds -= zone == '+' ? offset : -offset;
    }
    const year_month_day date{y, m, d};
    if (!in.ok || !in.left.empty() || !date.ok() || y < year{1678} || y > year{2261}) return std::nullopt;
    return (sys_days{date}.time_since_epoch().count() * std::int64_t{86400} + seconds) * detail::time::second_ns +
           fraction;
}

/// A duration such as "1h30m", as Go's time.ParseDuration reads it. Nothing if it is none or does not fit.
inline std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
    constexpr detail::time::Wide limit = detail::time::Wide{1} << 63;
    bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text == "0") return std::chrono::nanoseconds{0};
    if (text.empty()) return std::nullopt;
    detail::time::Wide total = 0;
    while (!text.empty()) {
        detail::time::Wide whole = 0, fraction = 0, scale = 1;
        bool digits = false;
        for (; !text.empty() && detail::time::is_digit(text.front()); text.remove_prefix(1), digits = true) {
            whole = whole * 10 + static_cast<unsigned>(text.front() - '0');
            if (whole > limit) return std::nullopt;
        }
        if (text.starts_with('.')) {
            text.remove_prefix(1);
            for (; !text.empty() && detail::time::is_digit(text.front()); text.remove_prefix(1), digits = true) {
                // What is far below a nanosecond even of an hour does not count.
                if (scale > detail::time::Wide{1'000'000'000'000'000'000}) continue;
                fraction = fraction * 10 + static_cast<unsigned>(text.front() - '0');
                scale *= 10;
            }
        }
        detail::time::Wide unit = digits ? detail::time::take_unit(text) : 0;
        if (unit == 0) return std::nullopt;
        total += whole * unit + fraction * unit / scale;
        if (total > limit) return std::nullopt;
    }
    if (total == limit && !negative) return std::nullopt;
    if (total == limit) return std::chrono::nanoseconds{std::numeric_limits<std::int64_t>::min()};
    auto n = static_cast<std::int64_t>(total);
    return std::chrono::nanoseconds{negative ? -n : n};
}

}  // namespace berth

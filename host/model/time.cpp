// SPDX-License-Identifier: Apache-2.0
#include "model/time.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace berth::model {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

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

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
    using namespace std::chrono;
    Reader in{text};
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
        std::int64_t unit = second_ns / 10;
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
    return (sys_days{date}.time_since_epoch().count() * std::int64_t{86400} + seconds) * second_ns + fraction;
}

std::string format_time(std::int64_t ns) {
    using namespace std::chrono;
    const sys_time<nanoseconds> time{nanoseconds{ns}};
    const auto midnight = floor<days>(time);
    const year_month_day date{midnight};
    const auto us = floor<microseconds>(time - midnight).count();
    std::array<char, 64> text{};
    const int length = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", int{date.year()},
                                     unsigned{date.month()}, unsigned{date.day()}, static_cast<int>(us / 3600'000'000),
                                     static_cast<int>(us / 60'000'000 % 60), static_cast<int>(us / 1'000'000 % 60),
                                     static_cast<int>(us % 1'000'000));
    return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace berth::model

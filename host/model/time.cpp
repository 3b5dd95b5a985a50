// SPDX-License-Identifier: Apache-2.0
#include "model/time.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace berth::model {

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

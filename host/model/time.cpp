// SPDX-License-Identifier: Apache-2.0
#include "model/time.h"

#include <chrono>

namespace berth::model {

std::string format_time(std::int64_t ns) {
    using namespace std::chrono;
    const sys_time<nanoseconds> time{nanoseconds{ns}};
    const auto midnight = floor<days>(time);
    const year_month_day date{midnight};
    const auto us = floor<microseconds>(time - midnight).count();
    std::string text = "0000-00-00T00:00:00.000000Z";
    auto put = [&](std::size_t at, std::size_t width, std::int64_t number) {
        for (; width > 0; number /= 10) text[at + --width] = static_cast<char>('0' + number % 10);
    };
    put(0, 4, int{date.year()});
    put(5, 2, unsigned{date.month()});
    put(8, 2, unsigned{date.day()});
    put(11, 2, us / 3600'000'000);
    put(14, 2, us / 60'000'000 % 60);
    put(17, 2, us / 1'000'000 % 60);
    put(20, 6, us % 1'000'000);
    return text;
}

}  // namespace berth::model

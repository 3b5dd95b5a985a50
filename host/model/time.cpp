// SPDX-License-Identifier: Apache-2.0
#include "model/time.h"

#include <chrono>

namespace berth::model {

std::string format_seconds(std::int64_t s) {
    using namespace std::chrono;
    const sys_time<seconds> time{seconds{s}};
    const auto midnight = floor<days>(time);
    const year_month_day date{midnight};
    const auto of_day = (time - midnight).count();
    std::string text = "0000-00-00T00:00:00Z";
    auto put = [&](std::size_t at, std::size_t width, std::int64_t number) {
        for (; width > 0; number /= 10) text[at + --width] = static_cast<char>('0' + number % 10);
    };
    put(0, 4, int{date.year()});
    put(5, 2, unsigned{date.month()});
    put(8, 2, unsigned{date.day()});
    put(11, 2, of_day / 3600);
    put(14, 2, of_day / 60 % 60);
    put(17, 2, of_day % 60);
    return text;
}

std::string format_time(std::int64_t ns) {
    constexpr std::int64_t second_ns = 1'000'000'000, us_ns = 1'000;
    std::int64_t s = ns / second_ns, rest = ns % second_ns;
    if (rest < 0) {
        --s;
        rest += second_ns;
    }
    std::string text = format_seconds(s), fraction = std::to_string(rest / us_ns);
    text.back() = '.';
    text.append(6 - fraction.size(), '0').append(fraction) += 'Z';
    return text;
}

}  // namespace berth::model

// SPDX-License-Identifier: Apache-2.0
#include "report/axis.h"

#include "report/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace berth::report {

Axis::Axis(double most, Unit of, double ticks) {
    constexpr double minute = 60, hour = 3600, day = 86400;
    if (of == Unit::Share) scale_ = 0.01, unit_ = " %";
    if (of == Unit::Seconds) {
        scale_ = most > 3 * day ? day : most > 3 * hour ? hour : most > 3 * minute ? minute : 1;
        unit_ = scale_ == day ? " d" : scale_ == hour ? " h" : scale_ == minute ? " min" : " s";
    }
    counts_ = of == Unit::Count;
    most = std::max(most / scale_, of == Unit::Share ? 1.0 : counts_ ? ticks : 1e-3);
    const double rough = most / ticks, power = std::pow(10, std::floor(std::log10(rough)));
    const double digit = rough / power;
    const double step = (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power * scale_;
    end_ = std::ceil(most * scale_ / step - 1e-9) * step;
    for (double v = 0; v < end_ + step / 2; v += step) ticks_.push_back(v);
}

Axis::Axis(double least, double most) : logarithmic_(true) {
    constexpr std::array digits{1.0, 2.0, 5.0};
    constexpr double rounding = 1e-9;
    least = std::min(least, most / 10);  // so that little does not look like much
    for (double power = std::floor(std::log10(least)); ticks_.empty() || ticks_.back() < most * (1 - rounding); ++power)
        for (double digit : digits) {
            const double tick = digit * std::pow(10, power);
            if (!ticks_.empty() && ticks_.back() >= most * (1 - rounding)) break;
            if (tick <= least * (1 + rounding)) ticks_.clear();  // the one before is not needed
            ticks_.push_back(tick);
        }
    begin_ = ticks_.front();
    end_ = ticks_.back();
}

double Axis::at(double value) const {
    return logarithmic_ ? std::log(value / begin_) / std::log(end_ / begin_) : value / end_;
}

std::string Axis::label(double tick) const {
    const double shown = tick / scale_;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", shown);
    constexpr double thousand = 1000;
    const bool whole = counts_ || shown >= thousand;
    return (whole ? grouped(static_cast<std::uint64_t>(std::llround(shown))) : std::string(text)) + unit_;
}

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An axis of a plot: its range, scale and tick labels (report/plot.h).

#include "report/plot.h"

#include <string>
#include <vector>

namespace berth::report {

class Axis {
public:
    /// From 0 to a round value that is at least `most`, in about that many round steps.
    Axis(double most, Unit of, double ticks);
    /// Logarithmic, between values of 1, 2 or 5 times a power of ten that enclose both, the one at least ten times the
    /// other; `least` is above 0.
    Axis(double least, double most);

    /// What comes after it is no part of the picture.
    void end_at(double most) { end_ = most; }
    /// Where a value is: 0 is the begin of the axis, 1 its end.
    double at(double value) const;
    const std::vector<double> &ticks() const { return ticks_; }
    std::string label(double tick) const;

private:
    std::vector<double> ticks_;
    double begin_ = 0, end_ = 1;
    double scale_ = 1;  ///< the label of a tick is its value divided by this
    const char *unit_ = "";
    bool counts_ = false, logarithmic_ = false;
};

}  // namespace berth::report

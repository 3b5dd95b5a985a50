// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shape.h"

#include <string>

namespace berth::attack {

/// Whether the time that a parser takes grows at most as fast as its input, whatever stands in it.
struct Verdict {
    bool linear = false;
    std::string text;  ///< the three times, and what is wrong with them
};

/// Measures one shape in a process of its own, so that an input that exhausts stack, memory or patience is a verdict
/// and no end. A time is the least processor time of several runs: what else the machine does only adds to it.
Verdict measured(const Shape &shape);

}  // namespace berth::attack

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The check of a scenario's expectations.

#include "sim/scenario.h"
#include "sim/world.h"

#include <functional>

namespace berth::sim {

/// One expectation and what is instead.
struct Finding {
    std::string time;             ///< "4s" or "end"
    std::string expected, found;  ///< "pod default/low to be pending", "is on node a"
    std::string where;            ///< "file.yaml:7:11: expect[0].placed.low"
    bool holds = false;
};

/// The message of the condition PodScheduled that a pod has, or nothing.
using ConditionMessage = std::function<std::optional<std::string>(const model::Pod &)>;

Finding check(const Expectation &expectation, const World &world, const ConditionMessage &message);

}  // namespace berth::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A failed attempt's status and message.

#include "cycle/search.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::scheduler {

/// Why an attempt failed.
struct Failure {
    std::string_view phase;  ///< the extension point
    bool rejected = false;   ///< plugins rejected the pod; else something broke
    std::string message;
    cycle::Rejectors rejectors{};
    std::optional<std::string> nomination = "";  ///< as model::Decision::nomination
    model::Victims victims{};                    ///< as model::Decision::victims
};

/// A failure after the choice of a node, at Reserve or Permit. A rejection is worded as if that node were the only one,
/// as upstream does.
Failure failure_on_node(const plugin::Profile &profile, std::string_view phase, const model::Status &status);

}  // namespace berth::scheduler

// SPDX-License-Identifier: Apache-2.0
#include "model/decision.h"

#include <array>
#include <cstddef>

namespace berth::model {

std::string_view result_name(AttemptResult result) {
    static constexpr std::array<std::string_view, 5> names{"Scheduled", "Unschedulable", "Waiting", "Gated", "Error"};
    return names[static_cast<std::size_t>(result)];
}

}  // namespace berth::model

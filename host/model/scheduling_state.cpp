// SPDX-License-Identifier: Apache-2.0
#include "model/scheduling_state.h"

#include <array>
#include <cstddef>

namespace berth::model {

std::string_view state_name(SchedulingState::State state) {
    static constexpr std::array<std::string_view, 10> names{"Active",     "BackingOff", "Unschedulable", "Gated",
                                                            "Scheduling", "Waiting",    "Binding",       "Placed",
                                                            "Deleted",    "NotOurs"};
    return names[static_cast<std::size_t>(state)];
}

}  // namespace berth::model

// SPDX-License-Identifier: Apache-2.0
#include "scheduler/failure.h"

#include "plugin/instance.h"

#include <berth/fit_message.hpp>

namespace berth::scheduler {

Failure failure_on_node(const plugin::Profile &profile, std::string_view phase, const model::Status &status) {
    if (!status.rejected()) return {phase, false, status.message()};
    ReasonCounts reasons;
    for (const auto &reason : status.reasons) ++reasons[reason];
    Failure failure{phase, true, fit_message(1, {}, reasons)};
    for (const auto &instance : profile.instances)
        if (instance->name == status.plugin) failure.rejectors.add(instance.get(), status.code);
    return failure;
}

}  // namespace berth::scheduler

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The effect of a placed pod's status on its counted resources.

#include <cstdint>

namespace berth::model {

enum class Accounting : std::uint8_t {
    PerContainer,  ///< the most of both for each container, and then the sum: up to 1.36
    PerPod,        ///< the sum of each over the pod, and then the most: since 1.37
};

}  // namespace berth::model

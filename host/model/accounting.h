// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace berth::model {

/// How what the status of a placed pod says of resources counts beside the specification.
enum class Accounting : std::uint8_t {
    PerContainer,  ///< the most of both for each container, and then the sum: up to 1.36
    PerPod,        ///< the sum of each over the pod, and then the most: since 1.37
};

}  // namespace berth::model

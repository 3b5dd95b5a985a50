// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace berth::model {

/// How long a plugin took at an extension point, for so many nodes; 1 for a call about the pod alone.
struct PluginTime {
    std::string plugin, point;
    std::uint64_t nodes = 0;
    std::int64_t ns = 0;
};

}  // namespace berth::model

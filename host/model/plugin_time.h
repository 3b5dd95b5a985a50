// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The time of a plugin at an extension point, and the number of nodes in its calls: 1 for a call about the pod alone.

#include <cstdint>
#include <string>

namespace berth::model {

struct PluginTime {
    std::string plugin, point;
    std::uint64_t nodes = 0;
    std::int64_t ns = 0;
};

}  // namespace berth::model

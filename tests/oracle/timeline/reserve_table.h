// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes down the node of each pod that is reserved there, also of those that leave it when their group fails.

#include "plugin/profile.h"

#include <functional>
#include <string_view>

namespace timeline_play {

/// Told of each pod before the Reserve plugins are asked, and of its node.
using OnReserve = std::function<void(const berth_pod &pod, std::string_view node)>;

/// From now on, and as long as the profiles live. One at a time.
void watch_reserves(std::vector<berth::plugin::Profile> &profiles, OnReserve told);

}  // namespace timeline_play

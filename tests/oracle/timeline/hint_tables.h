// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes down what plugins answer when they are asked whether an event may help a pod.

#include "plugin/profile.h"

#include <functional>
#include <string>

namespace timeline_play {

/// Told of each answer: the pod, what the event is about, the plugin, and `Queue`, `Skip` or `Error`.
using OnHint = std::function<void(const berth_pod &pod, const berth_event &event, const std::string &plugin,
                                  std::string_view answer)>;

/// From now on, and as long as the profiles live, `told` hears of what their plugins answer. One at a time.
void watch_hints(std::vector<berth::plugin::Profile> &profiles, OnHint told);
/// No longer.
void forget_hints();

}  // namespace timeline_play

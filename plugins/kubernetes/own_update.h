// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The check whether an event is an update of the pending pod itself, for queueing hints.

#include "release.h"

namespace kubernetes {

/// The pod of an event as it is now, if the event is an update that `pod` takes for its own; nothing otherwise. The
/// queue shows a pod's own updates to that pod. Those that came while a pod was in flight may be another waiting pod's,
/// which 1.37 does not look at.
inline std::optional<berth::Pod> own_update(berth::Event event, berth::Pod pod, const Rules &rules) {
    auto now = event.new_pod();
    if (!now || (rules.any_waiting_pod_is_own ? event.resource() != "Pod" : now->uid() != pod.uid())) return {};
    return now;
}

}  // namespace kubernetes

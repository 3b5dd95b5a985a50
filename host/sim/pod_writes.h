// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the API server makes of a pod when its status is patched or it is deleted.

#include "model/pod.h"

#include <cstdint>

namespace berth::sim {

/// The pod with `patch`, the body of a strategic merge patch of the status: conditions are merged by type, other
/// members replaced, null takes a member away.
model::PodPtr with_status(const model::Pod &pod, model::Value patch);

/// The pod on its way out since `now_ns`, for `grace_seconds`.
model::PodPtr on_its_way_out(const model::Pod &pod, std::int64_t now_ns, std::int64_t grace_seconds);

}  // namespace berth::sim

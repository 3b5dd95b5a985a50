// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The check whether a pod is a mirror pod. A kubelet represents a static pod of its own by it; only that kubelet
/// creates and places it.

#include "model/pod.h"

namespace berth::model {

inline bool is_mirror(const Pod &pod) {
    return !pod.tree->value()["metadata"]["annotations"]["kubernetes.io/config.mirror"].is_null();
}

}  // namespace berth::model

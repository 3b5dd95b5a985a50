// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/pod.h"

namespace berth::model {

/// Whether a kubelet represents a static pod of its own by it; only that kubelet creates and places it.
inline bool is_mirror(const Pod &pod) {
    return !pod.tree->value()["metadata"]["annotations"]["kubernetes.io/config.mirror"].is_null();
}

}  // namespace berth::model

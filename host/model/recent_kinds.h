// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kinds of Kubernetes' own that not every API server serves with which a scheduler works: a server of an older release
/// lacks them.

#include "model/kind.h"

#include <algorithm>
#include <array>

namespace berth::model {

inline bool is_recent(const Kind &kind) {
    static const std::array recent{kind_of("resource.k8s.io", "v1", "devicetaintrules")};  // since 1.37
    return std::ranges::find(recent, kind) != recent.end();
}

}  // namespace berth::model

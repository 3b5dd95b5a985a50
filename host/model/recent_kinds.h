// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Recent built-in kinds, which an older API server may
/// lack.

#include "model/kind.h"

#include <algorithm>
#include <array>

namespace berth::model {

inline bool is_recent(const Kind &kind) {
    static const std::array recent{kind_of("resource.k8s.io", "v1", "devicetaintrules")};  // since 1.37
    return std::ranges::find(recent, kind) != recent.end();
}

}  // namespace berth::model

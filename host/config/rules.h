// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a release decides otherwise than the one before in the host itself, each by what it is. What the default
/// plugins decide otherwise is theirs.

#include "config/release.h"
#include "model/accounting.h"

namespace berth::config {

constexpr model::Accounting accounting(Release release) {
    return release.minor() >= 37 ? model::Accounting::PerPod : model::Accounting::PerContainer;
}

}  // namespace berth::config

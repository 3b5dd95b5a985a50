// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What another release of Kubernetes, or another configuration, would decide otherwise, and which change is the cause.

#include "model/result.h"
#include "offline/upgrade_options.h"
#include "report/upgrade.h"

#include <functional>
#include <string>
#include <vector>

namespace berth::offline {

/// Decides everything as today, and each attempt as after the upgrade besides, in the same cluster. Where that differs,
/// takes back one change after the other and looks which decisions are as today again. The error says what is wrong
/// with the input or with a configuration. `warn` gets what is to be known besides, as it is found.
model::Result<report::Upgrade> preview_upgrade(const UpgradeOptions &options,
                                               const std::function<void(const std::vector<std::string> &)> &warn);

}  // namespace berth::offline

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth upgrade`: what another release of Kubernetes, or another configuration, would decide otherwise, and why.

#include "offline/upgrade_options.h"

namespace berth::cli {

/// Changes nothing. Returns the exit code: 0 everything would be decided as today, 1 something would not, 2 wrong usage
/// or bad input.
int upgrade(const offline::UpgradeOptions &options);

}  // namespace berth::cli

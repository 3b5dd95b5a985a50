// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth replay`: it repeats the decisions of a recording and prints differences and their causes.

#include "offline/replay_options.h"

namespace berth::cli {

/// Returns the exit code: 0 every decision is equal, 1 some differ, 2 wrong usage or a recording that cannot be
/// replayed.
int replay(const offline::ReplayOptions &options);

}  // namespace berth::cli

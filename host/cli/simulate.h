// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth simulate`: it schedules a cluster that is given as files.

#include "offline/simulate_options.h"

namespace berth::cli {

/// Runs it; returns the exit code.
int simulate(const offline::SimulateOptions &options);

}  // namespace berth::cli

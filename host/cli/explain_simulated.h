// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The output of `berth simulate --explain POD`.

#include "offline/simulated.h"

namespace berth::cli {

/// Prints, for each pod that is called so, what `berth explain` says of a pending pod, as it is at the end, and the
/// last attempt; with `--all` every attempt. As JSON or YAML one object, of one pod. Returns the exit code.
int explain(const offline::SimulateOptions &options, offline::Simulated &simulated);
/// The changes each of which would make the pending pod fit at the end.
std::vector<std::string> what_would_help(Scheduler &scheduler, const model::PodRef &pod);

}  // namespace berth::cli

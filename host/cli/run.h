// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth run`: it reads the command line, runs the scheduler and returns the exit code.

#include "cli/election_flags.h"
#include "cli/kube_scheduler_flags.h"
#include "config/feature_gates.h"
#include "live/run.h"

#include <string>

namespace berth::cli {

/// What its command line says.
struct RunFlags {
    live::RunOptions options;
    ElectionFlags election;
    KubeSchedulerFlags kube_scheduler;
    config::GateFlags gates;
    std::string ui;               ///< a switch as written; empty: not given
    std::string write_config_to;  ///< write the merged configuration there and end; empty: schedule
};

/// Runs until SIGTERM or SIGINT; returns the exit code. To be called before the process has a second thread.
int run(const RunFlags &flags);

}  // namespace berth::cli

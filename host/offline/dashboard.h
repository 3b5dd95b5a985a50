// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth simulate --ui`: the dashboard over the result of a simulation.

#include "api/web_pages.h"
#include "config/configuration.h"
#include "model/result.h"
#include "offline/simulate_options.h"
#include "report/decision_ring.h"
#include "report/scheduler_metrics.h"
#include "report/simulation.h"
#include "scheduler/scheduler.h"
#include "sim/virtual_clock.h"

#include <cstdint>

namespace berth::offline {

/// What is shown; all outlive the call.
struct EndedSimulation {
    Scheduler &scheduler;
    sim::VirtualClock &clock;
    const report::DecisionRing &last;
    const report::SchedulerMetrics &meter;
    const SimulateOptions &options;
    const config::Configuration &configuration;
    const report::Simulation &result;
};

/// Serves it by HTTP at the loopback address, to every user of the machine, until the process is interrupted. Port 0:
/// any free port. Writes the address to standard error.
model::Result<void> show_simulation(const EndedSimulation &ended, std::uint16_t port, const api::WebOptions &pages);

}  // namespace berth::offline

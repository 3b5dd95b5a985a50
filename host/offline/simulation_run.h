// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The loop of a simulation, and the scenario that is played on it.

#include "offline/progress.h"
#include "offline/simulation_sink.h"
#include "record/recorder.h"
#include "sim/expectations.h"
#include "sim/timeline.h"
#include "sim/virtual_clock.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::offline {

/// Simulated time begins there, 2026-01-01T00:00:00Z, so that the same input gives the same bytes on any day.
inline constexpr std::int64_t simulated_start_ns = 1767225600LL * 1'000'000'000;

struct SimulationRun {
    Scheduler &scheduler;
    sim::VirtualClock &clock;
    sim::World &world;
    const SimulationSink &sink;
    record::Recorder &recorder;
    Progress &progress;
    std::vector<std::string> warnings{};
    /// Of the warnings, those of plugins for which there is nothing to wait for. What a PreBind waits for may be done
    /// by a controller that is not simulated.
    std::vector<std::string> unended{};

    /// Runs until nothing can change any more: no pod is ready, none is being bound, and every wait that a change began
    /// is over. The retry of pods that waited five minutes without a reason is left out: nothing has changed for them.
    /// Warns of the plugins that never end what they began.
    void to_the_end();
    /// Runs everything up to a time, that retry too, and stops there.
    void until(std::int64_t ns);
    /// Plays a scenario in a world that has its objects, to the end. The error is what its timeline asks for in vain.
    model::Result<std::vector<sim::Finding>> play(const sim::Scenario &scenario, sim::Timeline &timeline);

private:
    /// Whether nothing can change any more.
    bool run(std::optional<std::int64_t> until);
};

}  // namespace berth::offline

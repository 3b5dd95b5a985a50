// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The stage of a test: a scheduler on a virtual clock, a simulated API server, and a log whose errors the test reads.

#include "plugin/call_environment.h"
#include "plugin/services.h"
#include "report/log.h"
#include "scheduler/scheduler.h"
#include "sim/virtual_clock.h"
#include "sim/virtual_workers.h"
#include "sim/world.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace berth::verify {

inline constexpr std::int64_t stage_start_ns = 1767225600LL * 1'000'000'000;  ///< 2026-01-01T00:00:00Z

/// Keeps what was complained about. Says that it writes everything, so that what plugins log is worked out.
class Complaints : public env::Log, public plugin::Misbehaviour, public plugin::EventRecorder {
    std::mutex mutex_;
    std::vector<std::string> errors_, misbehaviour_;

public:
    bool enabled(env::Severity, int) const override { return true; }
    void write(env::Severity severity, int, std::string_view message, const Pairs &pairs,
               std::source_location) override;
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}
    void misbehaved(const std::string &plugin, std::string_view point, std::string_view what) override;
    void event(const model::Object &, const Event &) override {}
    /// Error lines of the host, those of the strict layer among them.
    std::vector<std::string> errors();
    /// Answers that are none, and exceptions.
    std::vector<std::string> misbehaviour();
};

class Stage {
    struct Sink : DecisionSink {
        model::Detail detail() const override { return model::Detail::Nodes; }
        void decision(const model::Decision &) override {}
        void event(const model::DecisionEvent &) override {}
    };
    Sink sink_;

public:
    Complaints complaints;
    sim::VirtualClock clock{stage_start_ns};
    sim::World api{clock};
    sim::VirtualWorkers workers{clock};
    Scheduler scheduler;
    plugin::Services services;

    explicit Stage(std::uint64_t seed, plugin::Checks checks = plugin::Checks::Basic, DecisionSink *sink = nullptr);

    /// `meter`, which outlives the stage, counts the calls from now on; if it is null, nothing is counted.
    void count_by(plugin::Meter *meter) { counted_.emplace(scheduler.calls(), meter); }

private:
    std::optional<plugin::CallEnvironment::CountedBy> counted_;
};

}  // namespace berth::verify

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
#include "verify/coverage.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
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

/// Time passes: for `ns`, until nothing waits on the clock, or until `timers` times have come.
void pass_time(sim::VirtualClock &clock, int timers, std::int64_t ns = INT64_MAX);

/// Stand before a stage's clock and its API, and count what plugins begin there and what comes of it.
class CountingClock final : public env::Clock {
    env::Clock &real_;
    Coverage *const &to_;  ///< null: nothing is counted

    std::int64_t now_ns() const override { return real_.now_ns(); }
    std::int64_t monotonic_ns() const override { return real_.monotonic_ns(); }
    void after(std::int64_t ns, std::function<void()> fn) override;
    void post(std::function<void()> fn) override { real_.post(std::move(fn)); }

public:
    CountingClock(env::Clock &real, Coverage *const &to) : real_(real), to_(to) {}
};
class CountingApi final : public env::Api {
    env::Api &real_;
    Coverage *const &to_;

    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override;

public:
    CountingApi(env::Api &real, Coverage *const &to) : real_(real), to_(to) {}
};

/// Pods that plugins activated.
struct Activations final : plugin::Activator {
    using Uids = std::set<std::string, std::less<>>;
    plugin::Activator *activator = nullptr;  ///< the scheduler's
    Uids *to = nullptr;                      ///< nullptr: not recorded

    bool activate(std::string_view uid) override {
        if (to) to->emplace(uid);
        return activator->activate(uid);
    }
};

class Stage {
    struct Sink : DecisionSink {
        model::Detail detail() const override { return model::Detail::Nodes; }
        void decision(const model::Decision &) override {}
        void event(const model::DecisionEvent &) override {}
    };
    Sink sink_;
    Coverage *coverage_ = nullptr;

public:
    Complaints complaints;
    sim::VirtualClock clock{stage_start_ns};
    sim::World api{clock};
    sim::VirtualWorkers workers{clock};
    CountingClock counting_clock{clock, coverage_};
    CountingApi counting_api{api, coverage_};
    Scheduler scheduler;
    Activations activations;
    plugin::Services services;

    explicit Stage(std::uint64_t seed, plugin::Checks checks = plugin::Checks::Basic, DecisionSink *sink = nullptr);

    /// `meter`, which outlives the stage, counts the calls from now on, and all else is counted in `coverage`; if they
    /// are null, nothing is counted.
    void count_by(plugin::Meter *meter, Coverage *coverage = nullptr) {
        counted_.emplace(scheduler.calls(), meter);
        coverage_ = coverage;
    }
    Coverage *coverage() const { return coverage_; }

private:
    std::optional<plugin::CallEnvironment::CountedBy> counted_;
};

}  // namespace berth::verify

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A scheduler with fake plugins on a virtual clock, and everything it said.

#include "fake_plugin.h"
#include "scheduler/scheduler.h"
#include "sim/virtual_clock.h"

namespace berth {

constexpr std::int64_t test_start_ns = 1'767'225'600'000'000'000;  ///< 2026-01-01T00:00:00Z

struct FakeWorld : DecisionSink {
    model::Detail wanted = model::Detail::Events;
    std::vector<model::Decision> decisions;
    std::vector<std::string> events;  ///< "Bound default/p"
    sim::VirtualClock clock{test_start_ns};
    Scheduler scheduler;

    FakeWorld(std::initializer_list<FakePlugin *> fakes, SchedulerSettings settings = {},
              Scheduler::Extenders extenders = {})
        : scheduler(clock, nullptr, *this, settings) {
        std::vector<plugin::Profile> profiles;
        profiles.push_back(fake_profile(fakes));
        profiles.back().calls = &scheduler.calls();
        for (const auto &instance : profiles.back().instances) instance->calls = &scheduler.calls();
        scheduler.use(std::move(profiles), std::move(extenders));
    }

    /// As plugins get them.
    plugin::Services services() {
        plugin::Services services;
        scheduler.offer(services);
        return services;
    }
    model::Detail detail() const override { return wanted; }
    void decision(const model::Decision &d) override { decisions.push_back(d); }
    void event(const model::DecisionEvent &e) override {
        events.push_back(e.type + " " + (e.name_space.empty() ? "" : e.name_space + "/") + e.name);
    }

    /// Schedules until nothing is ready, without letting time pass.
    void settle() {
        while (clock.run() || scheduler.schedule_one()) {
        }
    }
    void pass_seconds(double seconds) { clock.advance_to(clock.now_ns() + static_cast<std::int64_t>(seconds * 1e9)); }
    const model::Decision &last() const { return decisions.back(); }
    void add_nodes(int n) {
        for (int i = 1; i <= n; ++i) scheduler.observer().node_added(plain_node("n" + std::to_string(i)));
    }
};

/// A Bind plugin that binds at once.
inline FakePlugin binder() {
    FakePlugin fake{"Binder"};
    fake.bind = [](const berth_pod *, berth_status *, const berth_done *) {};
    return fake;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "offline/simulation_run.h"

#include "report/table.h"

#include <algorithm>
#include <utility>

namespace berth::offline {
namespace {

constexpr std::int64_t simulated_end_ns = simulated_start_ns + std::chrono::nanoseconds(sim::longest_scenario).count();

/// Says when what goes on has become endless. Pods may fail again and again, wake each other, or a plugin's timer start
/// itself anew: in a world in which no pod is bound any more, some more tries than a person would make are enough, and
/// a day without any.
class Patience {
    static constexpr std::uint64_t tries_max = 8, waits_max = 100'000;
    const sim::World &world_;
    const SimulationSink &sink_;
    static constexpr std::int64_t longest_wait_ns = 24 * 3600 * INT64_C(1'000'000'000);
    std::uint64_t tries_max_, bindings_ = 0, attempts_ = 0, waits_ = 0, seen_attempts_ = 0;
    std::int64_t since_ns_;  ///< the last attempt

public:
    Patience(const sim::World &world, const SimulationSink &sink, std::size_t pods, std::int64_t now_ns)
        : world_(world), sink_(sink), tries_max_(tries_max * (pods + 1)), since_ns_(now_ns) {}

    /// After an attempt: are there too many that placed nothing?
    bool tried() {
        if (world_.bindings() != bindings_) {
            bindings_ = world_.bindings();
            attempts_ = sink_.attempts();
        }
        return sink_.attempts() - attempts_ > tries_max_;
    }
    /// When time passes: did it pass too often without an attempt, or, as nothing else is to come, too long?
    bool waited(std::int64_t now_ns, bool at_the_end) {
        if (std::exchange(seen_attempts_, sink_.attempts()) != sink_.attempts()) {
            waits_ = 0;
            since_ns_ = now_ns;
        }
        return ++waits_ > waits_max || (at_the_end && now_ns - since_ns_ > longest_wait_ns);
    }
};

}  // namespace

bool SimulationRun::run(std::optional<std::int64_t> until) {
    Patience patience(world, sink, world.pods().size(), clock.now_ns());
    for (;;) {
        bool any = clock.run();
        auto schedule_one = [this] {
            recorder.schedule_one();
            return scheduler.schedule_one();
        };
        while (schedule_one()) {
            any = true;
            clock.run();
            if (progress.due())
                progress.show("scheduling: " + report::grouped(sink.attempts()) + " attempts, " +
                              report::grouped(world.pods().size()) + " pods");
            if (!patience.tried()) continue;
            progress.clear();
            warnings.push_back("stopped after " + report::grouped(sink.attempts()) +
                               " attempts: pods are tried again and again, and none is placed");
            return false;
        }
        if (any) continue;
        auto next = until ? scheduler.next_wake() : scheduler.next_ready();
        auto timer = clock.next_timer();
        if (!next && !timer) return true;
        if (patience.waited(clock.now_ns(), !until)) return false;
        auto when = std::min(next.value_or(INT64_MAX), timer.value_or(INT64_MAX));
        if (when > until.value_or(simulated_end_ns)) return false;
        clock.advance_to(when);
    }
}

void SimulationRun::to_the_end() {
    const bool over = run({});
    const auto texts = scheduler.pending_calls();
    warnings.insert(warnings.end(), texts.begin(), texts.end());
    if (over) unended = scheduler.pending_calls(0, "PreBind");
}

void SimulationRun::until(std::int64_t ns) {
    run(ns);
    clock.advance_to(ns);
}

model::Result<std::vector<sim::Finding>> SimulationRun::play(const sim::Scenario &scenario, sim::Timeline &timeline) {
    std::vector<sim::Finding> findings;
    auto step = scenario.timeline.begin();
    auto expectation = scenario.expectations.begin();
    auto check = [&] {
        findings.push_back(
            sim::check(*expectation++, world, [&](const model::Pod &pod) { return sink.condition(pod); }));
    };
    // What happens at one time comes before what is expected then.
    for (;;) {
        const bool steps = step != scenario.timeline.end();
        const bool checks = expectation != scenario.expectations.end() && expectation->at;
        if (!steps && !checks) break;
        if (steps && (!checks || step->at <= *expectation->at)) {
            until(simulated_start_ns + step->at.count());
            if (auto played = timeline.play(*step++); !played) return played.error();
        } else {
            until(simulated_start_ns + expectation->at->count());
            check();
        }
    }
    to_the_end();
    while (expectation != scenario.expectations.end()) check();
    return findings;
}

}  // namespace berth::offline

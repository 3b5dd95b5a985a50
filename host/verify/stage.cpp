// SPDX-License-Identifier: Apache-2.0
#include "verify/stage.h"

#include <utility>

namespace berth::verify {

void Complaints::write(env::Severity severity, int, std::string_view message, const Pairs &pairs,
                       std::source_location) {
    if (severity != env::Severity::Error) return;
    std::string line(message);
    for (const auto &[key, value] : pairs) line.append(" ").append(key).append("=").append(value);
    const std::scoped_lock lock(mutex_);
    errors_.push_back(std::move(line));
}

void Complaints::misbehaved(const std::string &, std::string_view, std::string_view what) {
    const std::scoped_lock lock(mutex_);
    misbehaviour_.emplace_back(what);
}

std::vector<std::string> Complaints::errors() {
    const std::scoped_lock lock(mutex_);
    return errors_;
}

std::vector<std::string> Complaints::misbehaviour() {
    const std::scoped_lock lock(mutex_);
    return misbehaviour_;
}

void CountingClock::after(std::int64_t ns, std::function<void()> fn) {
    if (to_) ++to_->timers.begun;
    real_.after(ns, [this, fn = std::move(fn)] {
        if (to_) ++to_->timers.came;
        fn();
    });
}

void CountingApi::send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) {
    if (!to_ || !request.reads()) return real_.send(std::move(request), std::move(done));
    const auto kind = model::kind_of(request.group, request.version, request.resource).text();
    real_.send(std::move(request), [this, kind, done = std::move(done)](env::ApiAnswer answer) {
        constexpr int ok = 200;
        const bool found = answer.http_status == ok && answer.body.find("\"items\":[]") == answer.body.npos;
        if (to_) ++(found ? to_->reads[kind].found : to_->reads[kind].missed);
        done(std::move(answer));
    });
}

void pass_time(sim::VirtualClock &clock, int timers, std::int64_t ns) {
    clock.run();
    const auto now = clock.now_ns(), end = ns > INT64_MAX - now ? INT64_MAX : now + ns;
    for (int i = 0; i < timers; ++i) {
        const auto next = clock.next_timer();
        if (!next || *next > end) break;
        clock.advance_to(*next);
    }
}

Stage::Stage(std::uint64_t seed, plugin::Checks checks, DecisionSink *sink)
    : scheduler(clock, &complaints, sink ? *sink : sink_, SchedulerSettings{seed, {}}) {
    services.clock = &counting_clock;
    services.api = &counting_api;
    services.log = &complaints;
    services.seed = seed;
    services.checks = checks;
    services.recorder = &complaints;
    services.workers = &workers;
    services.misbehaviour = &complaints;
    scheduler.offer(services);
    activations.activator = std::exchange(services.activator, &activations);
}

}  // namespace berth::verify

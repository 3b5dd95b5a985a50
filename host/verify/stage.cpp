// SPDX-License-Identifier: Apache-2.0
#include "verify/stage.h"

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

Stage::Stage(std::uint64_t seed, plugin::Checks checks, DecisionSink *sink)
    : scheduler(clock, &complaints, sink ? *sink : sink_, SchedulerSettings{seed, {}}) {
    services.clock = &clock;
    services.api = &api;
    services.log = &complaints;
    services.seed = seed;
    services.checks = checks;
    services.recorder = &complaints;
    services.workers = &workers;
    services.misbehaviour = &complaints;
    scheduler.offer(services);
}

}  // namespace berth::verify

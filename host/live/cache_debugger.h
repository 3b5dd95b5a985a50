// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cache debugger: on SIGUSR2 it logs the cache and its differences from the API server. As kube-scheduler's
/// pkg/scheduler/backend/cache/debugger does.

#include "api/scheduler_in_force.h"
#include "env/clock.h"
#include "env/log.h"
#include "kube/reflector.h"

namespace berth::live {

/// Loop only. All outlive the clock's last timer.
class CacheDebugger {
    env::Clock &clock_;
    env::Log &log_;
    api::SchedulerInForce scheduler_;
    const kube::Reflector &nodes_, &pods_;

public:
    CacheDebugger(env::Clock &clock, env::Log &log, api::SchedulerInForce scheduler, const kube::Reflector &nodes,
                  const kube::Reflector &pods)
        : clock_(clock), log_(log), scheduler_(std::move(scheduler)), nodes_(nodes), pods_(pods) {}

    /// As soon as no pod is under way: compares and dumps.
    void log_state();

private:
    void compare();
    void dump();
};

}  // namespace berth::live

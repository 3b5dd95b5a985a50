// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The check for plugins that keep pods waiting; it logs them twice a minute.

#include "api/scheduler_in_force.h"
#include "env/log.h"

namespace berth::live {

/// Looks twice a minute, for ever. All outlive the clock's last timer.
class LateWatch {
    env::Clock &clock_;
    env::Log &log_;
    api::SchedulerInForce scheduler_;

public:
    static constexpr std::int64_t interval_ns = 30'000'000'000;

    LateWatch(env::Clock &clock, env::Log &log, api::SchedulerInForce scheduler)
        : clock_(clock), log_(log), scheduler_(std::move(scheduler)) {}

    void start() {
        clock_.after(interval_ns, [this] {
            for (const auto &text : scheduler_->pending_calls(interval_ns))
                log_.write(env::Severity::Warning, 0, text, {});
            start();
        });
    }
};

}  // namespace berth::live

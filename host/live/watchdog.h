// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The watchdog: a thread that logs a plugin whose call does not return.

#include "env/log.h"
#include "plugin/current_call.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace berth::live {

/// Looks from a thread of its own, for as long as it lives.
class Watchdog {
    const plugin::CurrentCall &at_;
    env::Log &log_;
    std::chrono::milliseconds patience_;
    std::mutex mutex_;
    std::condition_variable ending_;
    bool ended_ = false;
    std::thread thread_;

    void watch();
    void report(const plugin::CurrentCall::Seen &call, std::chrono::milliseconds waited);

public:
    static constexpr std::chrono::milliseconds usual_patience{5000};

    /// Watches the calls of the thread that constructs it. It logs a call after `patience`, and again whenever the
    /// duration has doubled. `log` takes lines from any thread.
    explicit Watchdog(env::Log &log, std::chrono::milliseconds patience = usual_patience);
    ~Watchdog();
    Watchdog(const Watchdog &) = delete;
    Watchdog &operator=(const Watchdog &) = delete;
};

}  // namespace berth::live

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The virtual clock of a simulation.

#include "env/clock.h"

#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace berth::sim {

/// A clock that stands still between calls of run() and advance_to(). `post` from any thread, the rest on the loop.
class VirtualClock : public env::Clock {
    const std::int64_t start_ns_;
    std::int64_t now_ns_;
    std::multimap<std::int64_t, std::function<void()>> timers_;  ///< by due time; equal times in order of arrival
    std::mutex mutex_;
    std::deque<std::function<void()>> posted_;

public:
    explicit VirtualClock(std::int64_t start_ns) : start_ns_(start_ns), now_ns_(start_ns) {}

    std::int64_t now_ns() const override { return now_ns_; }
    std::int64_t monotonic_ns() const override { return now_ns_ - start_ns_; }
    void after(std::int64_t ns, std::function<void()> fn) override;
    void post(std::function<void()> fn) override;

    /// Runs what was posted and the timers that are due, and what these cause. True if there was anything.
    bool run();
    /// Runs everything up to `ns`, each timer at its own time, and stands at `ns`, or where it is if that is later.
    void advance_to(std::int64_t ns);
    std::optional<std::int64_t> next_timer() const;

private:
    bool run_posted();
    bool run_due();
};

}  // namespace berth::sim

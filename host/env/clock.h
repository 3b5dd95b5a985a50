// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interface of clock and timers: time enters the core only here, so that a simulation can own it.

#include <cstdint>
#include <functional>

namespace berth::env {

/// The loop's clock and timers. Every function is called on the loop, `post` from anywhere.
class Clock {
public:
    virtual ~Clock() = default;
    virtual std::int64_t now_ns() const = 0;                            ///< since the epoch; virtual in simulation
    virtual std::int64_t monotonic_ns() const = 0;                      ///< for durations; virtual in simulation
    virtual void after(std::int64_t ns, std::function<void()> fn) = 0;  ///< runs `fn` on the loop
    virtual void post(std::function<void()> fn) = 0;  ///< runs `fn` on the loop soon, in order; any thread
};

}  // namespace berth::env

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The event loop: the real clock and its timers, on one thread.

#include "env/clock.h"

#include <memory>
#include <optional>

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): Boost's name
}

namespace berth::env {

/// The thread that calls run() is the loop.
class Loop : public Clock {
    struct State;
    std::unique_ptr<State> state_;

public:
    Loop();
    ~Loop() override;
    Loop(const Loop &) = delete;
    Loop &operator=(const Loop &) = delete;

    std::int64_t now_ns() const override;
    std::int64_t monotonic_ns() const override;
    void after(std::int64_t ns, std::function<void()> fn) override;
    void post(std::function<void()> fn) override;

    /// `fn` runs on the loop on SIGINT or SIGTERM. The second time the process ends at once, with 1, as kube-scheduler
    /// does. To be called before threads are started, at most once.
    void on_signal(std::function<void()> fn);

    /// `fn` runs on the loop whenever the process gets SIGHUP, or SIGUSR2. To be called before threads are started, at
    /// most once.
    void on_hangup(std::function<void()> fn);
    void on_user_signal(std::function<void()> fn);

    /// Runs what was posted and the timers that are due until stop() is called. `work` is called whenever there is
    /// nothing of these, or they have taken 20 ms, for a millisecond at a time; it does one piece of work and answers
    /// whether there may be more. When there is not, `before_sleep` is called, and the thread sleeps until something is
    /// posted, a timer is due, or `next_work` (a time like now_ns()) has come. While `may_rest` says no, it does not
    /// coalesce.
    void run(
        const std::function<bool()> &work, const std::function<std::optional<std::int64_t>()> &next_work,
        const std::function<void()> &before_sleep = [] {}, const std::function<bool()> &may_rest = [] { return true; });
    /// From now on, while it is busy, the thread rests before it waits, so that it is not woken for each message: for
    /// 25 ms at most, until `next_work` (rests.h tells how), or until a signal comes. That is no sleep, so that what
    /// `before_sleep` does, such as writing to a file, does not happen each time. Loop only.
    void coalesce_when_busy();

    /// What run() turns, for sockets that are to be served by it.
    boost::asio::io_context &context();

    /// run() returns after what is running now. Loop only. What is still posted afterwards never runs.
    void stop();
};

}  // namespace berth::env

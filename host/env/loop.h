// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The event loop: the real clock and its timers, on one thread.

#include "env/clock.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): Boost's name
}

namespace berth::env {

/// What the loop does beside its handlers. All of it is called on the loop.
struct LoopWork {
    /// Does one piece of work; answers whether there may be more. It is called when no handler is ready, or when
    /// handlers have taken 20 ms; then for a millisecond at a time.
    std::function<bool()> work = [] { return false; };
    /// When there will be work although nothing is posted: a time like now_ns().
    std::function<std::optional<std::int64_t>()> next_work = [] { return std::nullopt; };
    /// Before the thread sleeps; under load, too, once a second.
    std::function<void()> before_sleep = [] {};
    /// Whether messages may wait for the end of a rest.
    std::function<bool()> may_rest = [] { return true; };
};

/// The thread that calls run() is the loop.
class Loop : public Clock {
    struct State;
    class Iteration;
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

    /// Runs handlers (what was posted, timers that are due, sockets) and `work` until stop() is called. When there is
    /// neither, the thread sleeps until a handler is ready or `next_work` has come.
    void run(const LoopWork &work = {});
    /// From now on, while there is much to do, the thread rests before it waits, so that messages gather and it is not
    /// woken for each: for 25 ms at most, until `next_work` (rests.h), or until a signal comes. A rest is no sleep:
    /// `before_sleep` is not called. Loop only.
    void coalesce_when_busy();

    /// What run() turns, for sockets that are to be served by it.
    boost::asio::io_context &context();

    /// run() returns after what is running now. Loop only. What is still posted afterwards never runs.
    void stop();
};

}  // namespace berth::env

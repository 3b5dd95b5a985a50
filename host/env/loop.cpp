// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "env/loop.h"

#include "env/load.h"
#include "env/rests.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>

namespace berth::env {

namespace asio = boost::asio;

namespace {

/// Lets messages gather, for so long at most: a signal ends the rest. To be woken costs more than most of what a thread
/// is woken for, and other programs have had its caches meanwhile.
void rest(std::int64_t ns) {
    const timespec time{0, ns};
    (void)::nanosleep(&time, nullptr);
}

}  // namespace

struct Loop::State {
    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard{io.get_executor()};
    asio::signal_set signals{io}, hangups{io}, user_signals{io};
    bool stopped = false, stop_requested = false, coalesces = false;

    /// Runs what is ready, and what that posts, but for a moment only: sockets and threads that always bring more would
    /// leave no time for the work. Returns how much it was.
    std::size_t poll() {
        constexpr std::chrono::milliseconds longest{20};
        const auto until = std::chrono::steady_clock::now() + longest;
        std::size_t handlers = 0;
        while (!stopped && io.poll_one() > 0 && (++handlers, std::chrono::steady_clock::now() < until)) {
        }
        return handlers;
    }

    void wait_for_signal(std::function<void()> fn) {
        signals.async_wait([this, fn = std::move(fn)](const boost::system::error_code &error, int) {
            if (error) return;
            if (stop_requested) ::_exit(1);
            stop_requested = true;
            wait_for_signal(fn);
            fn();
        });
    }
    void whenever(asio::signal_set &set, std::function<void()> fn) {
        set.async_wait([this, &set, fn = std::move(fn)](const boost::system::error_code &error, int) {
            if (error) return;
            whenever(set, fn);
            fn();
        });
    }
};

Loop::Loop() : state_(std::make_unique<State>()) {}
Loop::~Loop() = default;

std::int64_t Loop::now_ns() const {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

std::int64_t Loop::monotonic_ns() const {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

void Loop::after(std::int64_t ns, std::function<void()> fn) {
    auto timer =
        std::make_shared<asio::steady_timer>(state_->io, std::chrono::nanoseconds{std::max<std::int64_t>(ns, 0)});
    timer->async_wait([timer, fn = std::move(fn)](const boost::system::error_code &error) {
        if (!error) fn();
    });
}

void Loop::post(std::function<void()> fn) { asio::post(state_->io, std::move(fn)); }

void Loop::on_signal(std::function<void()> fn) {
    state_->signals.add(SIGINT);
    state_->signals.add(SIGTERM);
    state_->wait_for_signal(std::move(fn));
}

void Loop::on_hangup(std::function<void()> fn) {
    state_->hangups.add(SIGHUP);
    state_->whenever(state_->hangups, std::move(fn));
}

void Loop::on_user_signal(std::function<void()> fn) {
    state_->user_signals.add(SIGUSR2);
    state_->whenever(state_->user_signals, std::move(fn));
}

/// The parts of an iteration of the loop.
class Loop::Iteration {
    // Work that is announced for a moment that has passed and yet is not there must not keep the thread busy.
    static constexpr std::int64_t least_sleep_ns = 1'000'000, most_sleep_ns = 3'600'000'000'000;

    Loop &loop_;
    State &state_;
    const LoopWork &work_;
    Load load_;
    Rests rests_;
    std::int64_t slept_ns_;  ///< when it began to sleep last

    std::int64_t until_next_work() const {
        const auto next = work_.next_work();
        return next ? std::clamp(*next - loop_.now_ns(), least_sleep_ns, most_sleep_ns) : most_sleep_ns;
    }
    bool wait(std::int64_t ns) { return load_.handled(state_.io.run_one_for(std::chrono::nanoseconds{ns})); }
    /// Handlers gather meanwhile. Returns whether there were any.
    bool rest(std::int64_t until_work) {
        env::rest(rests_.length_ns(loop_.monotonic_ns(), until_work));
        rests_.end(loop_.monotonic_ns());
        return poll();
    }

public:
    Iteration(Loop &loop, const LoopWork &work)
        : loop_(loop), state_(*loop.state_), work_(work), slept_ns_(loop.monotonic_ns()) {}

    /// Returns whether any handler was ready.
    bool poll() { return load_.handled(state_.poll()); }
    /// Works for a moment, as polling takes a system call; returns whether there may be more.
    bool work() {
        constexpr std::int64_t most_work_ns = 1'000'000;
        for (const auto until = loop_.monotonic_ns() + most_work_ns; !state_.stopped;) {
            if (!work_.work()) return false;
            if (loop_.monotonic_ns() >= until) return true;
        }
        return false;
    }
    /// With much to do, the thread rests while messages gather or, where they may not wait, waits awake for a while.
    /// Returns whether the next iteration begins without a sleep. Once a second it sleeps even so.
    bool linger() {
        constexpr std::int64_t longest_awake_ns = 1'000'000'000;
        const auto now = loop_.monotonic_ns();
        if (!state_.coalesces || !load_.is_high(now) || now - slept_ns_ >= longest_awake_ns) return false;
        const bool rests = work_.may_rest();
        // What the work has posted, such as requests to be sent, does not wait for the end of a rest.
        if (rests && poll()) return true;
        const auto until_work = until_next_work();
        if (rests) return rest(until_work) || until_work <= Rests::longest_ns;
        return wait(std::min(until_work, Rests::shortest_ns)) || until_work <= Rests::shortest_ns;
    }
    void sleep() {
        slept_ns_ = loop_.monotonic_ns();
        work_.before_sleep();
        if (!state_.stopped) wait(until_next_work());
    }
};

void Loop::run(const LoopWork &work) {
    Iteration next(*this, work);
    while (!state_->stopped) {
        next.poll();
        if (next.work() || state_->stopped || next.linger()) continue;
        next.sleep();
    }
}

void Loop::coalesce_when_busy() { state_->coalesces = true; }

asio::io_context &Loop::context() { return state_->io; }

void Loop::stop() { state_->stopped = true; }

}  // namespace berth::env

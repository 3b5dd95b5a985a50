// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "env/loop.h"

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

/// How much there was to do of late.
class Load {
    static constexpr std::int64_t window_ns = 50'000'000;
    /// Between two handlers: some 150 pods a second. What comes alone needs three times as many as what comes in
    /// crowds.
    static constexpr std::int64_t begin_ns = 500'000, end_ns = 1'500'000;

    std::int64_t done_ = 0;
    std::int64_t since_ns_ = 0;
    bool high_ = false;

public:
    /// Whether it was any.
    bool did(std::size_t handlers) {
        done_ += static_cast<std::int64_t>(handlers);
        return handlers > 0;
    }
    bool is_high(std::int64_t now_ns) {
        if (now_ns - since_ns_ >= window_ns) {
            high_ = done_ * (high_ ? end_ns : begin_ns) >= now_ns - since_ns_;
            done_ = 0;
            since_ns_ = now_ns;
        }
        return high_;
    }
};

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
        while (io.poll_one() > 0 && (++handlers, std::chrono::steady_clock::now() < until)) {
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

void Loop::run(const std::function<bool()> &work, const std::function<std::optional<std::int64_t>()> &next_work,
               const std::function<void()> &before_sleep, const std::function<bool()> &may_rest) {
    // Work that is announced for a moment that has passed and yet is not there must not keep the thread busy.
    constexpr std::int64_t least_sleep_ns = 1'000'000, most_sleep_ns = 3'600'000'000'000, most_work_ns = 1'000'000;
    const auto until_next_work = [&] {
        const auto next = next_work();
        return next ? std::clamp(*next - now_ns(), least_sleep_ns, most_sleep_ns) : most_sleep_ns;
    };
    Load load;
    Rests rests;
    while (!state_->stopped) {
        load.did(state_->poll());
        // Polling takes a system call, so it does not happen after each piece of work.
        bool more = false;
        for (auto until = monotonic_ns() + most_work_ns;
             !state_->stopped && (more = work()) && monotonic_ns() < until;) {
        }
        if (state_->stopped || more) continue;
        const bool busy = state_->coalesces && load.is_high(monotonic_ns());
        if (busy && may_rest()) {
            // What the work has posted, such as requests to be sent, does not wait meanwhile.
            if (load.did(state_->poll())) continue;
            const auto until_work = until_next_work();
            rest(rests.length_ns(monotonic_ns(), until_work));
            rests.flush(monotonic_ns());
            if (load.did(state_->poll()) || until_work <= Rests::longest_ns) continue;
        } else if (busy) {
            // What wakes the thread is handled at once; `before_sleep` comes only if nothing does for a while.
            const auto wait_ns = std::min(until_next_work(), Rests::shortest_ns);
            if (load.did(state_->io.run_one_for(std::chrono::nanoseconds{wait_ns}))) continue;
        }
        before_sleep();
        load.did(state_->io.run_one_for(std::chrono::nanoseconds{until_next_work()}));
    }
}

void Loop::coalesce_when_busy() { state_->coalesces = true; }

asio::io_context &Loop::context() { return state_->io; }

void Loop::stop() { state_->stopped = true; }

}  // namespace berth::env

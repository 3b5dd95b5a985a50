// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The worker threads of `berth run`.

#include "env/clock.h"
#include "env/workers.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::env {

/// Threads are started when there is work for them, and not before.
class Threads : public Workers {
    struct Piece {
        std::function<void()> work, done;
    };
    Clock &clock_;
    const std::size_t most_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Piece> waiting_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool ending_ = false;

    void run();

public:
    /// At most so many at once. The clock outlives it.
    Threads(Clock &clock, std::size_t most) : clock_(clock), most_(most) {}
    ~Threads() override;  ///< waits for what has begun; the rest never runs
    Threads(const Threads &) = delete;
    Threads &operator=(const Threads &) = delete;
    void submit(std::function<void()> work, std::function<void()> done) override;
};

}  // namespace berth::env

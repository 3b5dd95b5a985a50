// SPDX-License-Identifier: Apache-2.0
#include "env/threads.h"

#include <utility>

namespace berth::env {

Threads::~Threads() {
    {
        std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    for (auto &thread : threads_) thread.join();
}

void Threads::submit(std::function<void()> work, std::function<void()> done) {
    std::scoped_lock lock(mutex_);
    waiting_.push_back({std::move(work), std::move(done)});
    if (idle_ < waiting_.size() && threads_.size() < most_) threads_.emplace_back([this] { run(); });
    changed_.notify_one();
}

void Threads::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        --idle_;
        if (ending_) return;
        Piece piece = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        piece.work();
        piece.work = nullptr;
        clock_.post(std::move(piece.done));
        lock.lock();
    }
}

}  // namespace berth::env

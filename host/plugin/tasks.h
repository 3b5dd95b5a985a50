// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The background tasks of one plugin instance (berth.host.task/1).

#include "env/workers.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace berth::plugin {

/// Every task that was taken is ended, once, on the loop: when it has run, or when the instance ends.
class Tasks : public std::enable_shared_from_this<Tasks> {
public:
    struct Functions {
        std::function<void(const std::uint32_t *cancel)> run;
        std::function<void(std::int32_t code)> done;
    };
    /// What `run` threw, to be reported on the loop.
    using OnThrow = std::function<void(const std::string &what)>;

    explicit Tasks(OnThrow on_throw) : on_throw_(std::move(on_throw)) {}

    /// The instance has been made: from now on there may be tasks.
    void begin();
    /// INVALID before begin(), CANCELLED when the instance is about to end. Any thread.
    std::int32_t submit(env::Workers &workers, Functions functions);
    /// Cancels what has not begun and waits for what has; then ends all of it. On the loop, before the instance ends.
    void end();
    /// Lets nothing more begin and asks what runs to stop; whether nothing runs, so that end() would not wait. On the
    /// loop, which hears of every task that ends.
    bool wind_down();
    /// Whether this thread is within a task of the instance.
    bool running_here() const;

private:
    struct Task {
        Functions functions;
        enum class Stage : std::uint8_t { Waiting, Running, Ran, Over } stage = Stage::Waiting;
        std::int32_t code;
        std::string thrown{};
    };
    using TaskPtr = std::shared_ptr<Task>;

    bool any(Task::Stage stage) const;  ///< with the mutex held
    void run(Task &task);
    void finish(const TaskPtr &task);

    OnThrow on_throw_;
    mutable std::mutex mutex_;
    std::condition_variable returned_;
    std::list<TaskPtr> open_;                  ///< in the order of submission
    std::vector<std::thread::id> running_on_;  ///< a thread of each task that runs
    std::uint32_t cancel_ = 0;
    bool begun_ = false;
};

}  // namespace berth::plugin

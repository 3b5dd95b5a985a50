// SPDX-License-Identifier: Apache-2.0
#include "plugin/tasks.h"

#include "plugin/thrown.h"

#include <berth/status.h>

#include <algorithm>
#include <utility>

namespace berth::plugin {

bool Tasks::running_here() const {
    std::scoped_lock lock(mutex_);
    return std::ranges::count(running_on_, std::this_thread::get_id()) > 0;
}

void Tasks::begin() {
    std::scoped_lock lock(mutex_);
    begun_ = true;
}

std::int32_t Tasks::submit(env::Workers &workers, Functions functions) {
    auto task = std::make_shared<Task>();
    task->functions = std::move(functions);
    task->code = BERTH_STATUS_CANCELLED;
    {
        std::scoped_lock lock(mutex_);
        if (cancel_) return BERTH_STATUS_CANCELLED;
        if (!begun_) return BERTH_STATUS_INVALID;
        open_.push_back(task);
    }
    workers.submit([self = shared_from_this(), task] { self->run(*task); },
                   [self = shared_from_this(), task] { self->finish(task); });
    return BERTH_STATUS_SUCCESS;
}

void Tasks::run(Task &task) {
    {
        std::scoped_lock lock(mutex_);
        if (task.stage != Task::Stage::Waiting) return;  // it was cancelled
        task.stage = Task::Stage::Running;
        running_on_.push_back(std::this_thread::get_id());
    }
    auto thrown = thrown_by([&] { task.functions.run(&cancel_); });
    std::scoped_lock lock(mutex_);
    running_on_.erase(std::ranges::find(running_on_, std::this_thread::get_id()));
    task.stage = Task::Stage::Ran;
    task.code = thrown ? BERTH_STATUS_ERROR : BERTH_STATUS_SUCCESS;
    if (thrown) task.thrown = *thrown;
    returned_.notify_all();
}

void Tasks::finish(const TaskPtr &task) {
    {
        std::scoped_lock lock(mutex_);
        if (std::exchange(task->stage, Task::Stage::Over) == Task::Stage::Over) return;
        open_.remove(task);
    }
    if (!task->thrown.empty()) on_throw_(task->thrown);
    task->functions.done(task->code);
    task->functions = {};
}

bool Tasks::any(Task::Stage stage) const {
    return std::ranges::any_of(open_, [=](const TaskPtr &task) { return task->stage == stage; });
}

bool Tasks::wind_down() {
    std::scoped_lock lock(mutex_);
    __atomic_store_n(&cancel_, 1, __ATOMIC_RELAXED);
    return !any(Task::Stage::Running);
}

void Tasks::end() {
    std::list<TaskPtr> left;
    {
        std::unique_lock lock(mutex_);
        __atomic_store_n(&cancel_, 1, __ATOMIC_RELAXED);
        for (const auto &task : open_)
            if (task->stage == Task::Stage::Waiting) task->stage = Task::Stage::Ran;
        returned_.wait(lock, [&] { return !any(Task::Stage::Running); });
        left = open_;
    }
    for (const auto &task : left) finish(task);
}

}  // namespace berth::plugin

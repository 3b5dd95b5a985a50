// SPDX-License-Identifier: Apache-2.0
// Background work: each task is ended once, on the loop, whatever happens; in a simulation in the order of submission.
#include "catch.h"
#include "env/loop.h"
#include "env/threads.h"
#include "plugin/tasks.h"
#include "sim/virtual_clock.h"
#include "sim/virtual_workers.h"

#include <berth/status.h>

#include <atomic>
#include <stdexcept>
#include <thread>

using namespace berth;
using Lines = std::vector<std::string>;

namespace {

struct Virtual {
    sim::VirtualClock clock{0};
    sim::VirtualWorkers workers{clock};
    Lines said;
    std::shared_ptr<plugin::Tasks> tasks =
        std::make_shared<plugin::Tasks>([this](const std::string &what) { said.push_back("threw " + what); });

    std::int32_t submit(const std::string &name, bool throws = false) {
        return tasks->submit(workers,
                             {[=, this](const std::uint32_t *) {
                                  said.push_back(name + " runs");
                                  if (throws) throw std::runtime_error("tea");
                              },
                              [=, this](std::int32_t code) { said.push_back(name + " " + std::to_string(code)); }});
    }
};

}  // namespace

TEST_CASE("tasks: in a simulation they run in the order of submission, without time passing", "[plugin]") {
    Virtual v;
    CHECK(v.submit("early") == BERTH_STATUS_INVALID);
    v.tasks->begin();
    CHECK(v.submit("a") == BERTH_STATUS_SUCCESS);
    CHECK(v.submit("b", true) == BERTH_STATUS_SUCCESS);
    CHECK(v.said.empty());
    v.clock.run();
    CHECK(v.said == Lines{"a runs", "a 0", "b runs", "threw std::runtime_error: tea", "b 1"});
    CHECK(v.clock.now_ns() == 0);
    CHECK_FALSE(v.tasks->running_here());
}

TEST_CASE("tasks: what has not begun when the instance ends is cancelled, and ended all the same", "[plugin]") {
    Virtual v;
    v.tasks->begin();
    v.submit("a");
    v.submit("b");
    v.tasks->end();
    const Lines ended{"a " + std::to_string(BERTH_STATUS_CANCELLED), "b " + std::to_string(BERTH_STATUS_CANCELLED)};
    CHECK(v.said == ended);
    CHECK(v.submit("late") == BERTH_STATUS_CANCELLED);
    v.clock.run();
    CHECK(v.said == ended);
}

TEST_CASE("tasks: live they run beside the loop, and the end waits for what has begun", "[plugin]") {
    env::Loop loop;
    env::Threads threads(loop, 2);
    auto tasks = std::make_shared<plugin::Tasks>([](const std::string &) {});
    tasks->begin();
    const auto here = std::this_thread::get_id();
    int left = 20;
    for (int i = 0; i < left; ++i)
        tasks->submit(threads, {[&tasks = *tasks, here](const std::uint32_t *) {
                                    if (std::this_thread::get_id() == here || !tasks.running_here())
                                        throw std::logic_error("on the loop");
                                },
                                [&](std::int32_t code) {
                                    CHECK(code == BERTH_STATUS_SUCCESS);
                                    CHECK(std::this_thread::get_id() == here);
                                    if (--left == 0) loop.stop();
                                }});
    loop.run();
    CHECK(left == 0);

    // One runs until it is told to stop; the other finds no thread before that.
    std::atomic<bool> begun = false;
    std::vector<std::int32_t> codes;
    env::Threads one(loop, 1);
    for (int i = 0; i < 2; ++i)
        tasks->submit(one, {[&](const std::uint32_t *cancel) {
                                begun = true;
                                while (!__atomic_load_n(cancel, __ATOMIC_RELAXED)) std::this_thread::yield();
                            },
                            [&](std::int32_t code) { codes.push_back(code); }});
    while (!begun) std::this_thread::yield();
    tasks->end();
    CHECK(codes == std::vector<std::int32_t>{BERTH_STATUS_SUCCESS, BERTH_STATUS_CANCELLED});
}

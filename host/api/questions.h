// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The queue of questions about a scheduler's cluster and its pods, and their share of the loop's time.

#include "api/scheduler_in_force.h"
#include "env/clock.h"
#include "kube/served.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace berth::api {

/// Has questions answered on the loop, between two cycles, one at a time: they take a tenth of the loop's time at most,
/// and further questions are refused when many wait.
class Questions {
public:
    /// All outlive it.
    struct World {
        env::Clock &loop;
        SchedulerInForce scheduler;
        std::function<bool()> knows;  ///< the whole cluster
    };
    static constexpr std::size_t most_waiting = 16;

    explicit Questions(World world) : world_(std::move(world)) {}
    Questions(const Questions &) = delete;
    Questions &operator=(const Questions &) = delete;

    /// Runs `answer` on the loop, or passes the reason for a refusal to `refused`. Any thread.
    void ask(std::function<void()> answer, const kube::Answering &refused);
    /// To be called before each cycle: attempts that follow each other without a pause, as when an extender is asked
    /// about each pod, would else keep a question waiting. Loop only.
    void before_cycle();

private:
    struct Question {
        std::function<void()> answer;
        kube::Answering refuse;
        std::int64_t since_ns = 0;
    };
    void next();
    void answer_first();
    void refuse_first();
    bool is_due() const { return !waiting_.empty() && world_.loop.monotonic_ns() >= others_until_ns_; }

    World world_;
    std::deque<Question> waiting_;
    bool busy_ = false;                               ///< somebody calls next()
    std::int64_t others_until_ns_ = 0;                ///< till then the loop is left to others
    std::optional<std::int64_t> suspended_since_ns_;  ///< as long as no question could have been answered
};

}  // namespace berth::api

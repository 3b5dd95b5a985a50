// SPDX-License-Identifier: Apache-2.0
#include "api/questions.h"

#include <utility>

namespace berth::api {
namespace {

constexpr int too_many = 429, unavailable = 503;

}  // namespace

void Questions::ask(std::function<void()> answer, const kube::Answering &refused) {
    world_.loop.post([this, refused, answer = std::move(answer)]() mutable {
        if (!world_.knows())
            return refused(kube::status_answer(unavailable, "ServiceUnavailable",
                                               "the cluster is not known yet: see /readyz?verbose"));
        if (waiting_.size() >= most_waiting)
            return refused(kube::status_answer(too_many, "TooManyRequests",
                                               std::to_string(most_waiting) + " questions wait already: ask again"));
        waiting_.push_back({std::move(answer), refused, world_.loop.monotonic_ns()});
        if (!std::exchange(busy_, true)) next();
    });
}

/// Answers one question, then leaves the loop to others for nine times as long as that took.
void Questions::next() {
    constexpr std::int64_t share = 9, look_again_ns = 5'000'000, patience_ns = 10'000'000'000;
    if (waiting_.empty()) {
        busy_ = false;
        return;
    }
    const auto now = world_.loop.monotonic_ns();
    if (!world_.scheduler->between_cycles()) {
        if (now - waiting_.front().since_ns > patience_ns) {
            std::string why = "the scheduler waits for an answer about a pod";
            for (const auto &who : world_.scheduler->pending_calls()) why += "; " + who;
            waiting_.front().refuse(kube::status_answer(unavailable, "ServiceUnavailable", why));
            waiting_.pop_front();
        }
        return world_.loop.after(look_again_ns, [this] { next(); });
    }
    const auto question = std::move(waiting_.front());
    waiting_.pop_front();
    question.answer();
    world_.loop.after(share * (world_.loop.monotonic_ns() - now), [this] { next(); });
}

}  // namespace berth::api

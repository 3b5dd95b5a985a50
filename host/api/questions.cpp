// SPDX-License-Identifier: Apache-2.0
#include "api/questions.h"

#include <algorithm>
#include <utility>

namespace berth::api {
namespace {

constexpr int too_many = 429, unavailable = 503;
constexpr std::int64_t patience_ns = 10'000'000'000;

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

void Questions::before_cycle() {
    if (waiting_.empty() || !world_.scheduler->between_cycles()) return;
    suspended_since_ns_.reset();
    if (is_due()) answer_first();
}

void Questions::next() {
    constexpr std::int64_t look_again_ns = 5'000'000;
    if (waiting_.empty()) {
        busy_ = false;
        suspended_since_ns_.reset();
        return;
    }
    std::int64_t wait_ns = 0;
    if (world_.scheduler->between_cycles()) {
        before_cycle();
    } else {
        const auto now = world_.loop.monotonic_ns();
        const auto since = std::max(waiting_.front().since_ns, suspended_since_ns_.value_or(now));
        if (!suspended_since_ns_) suspended_since_ns_ = now;
        if (now - since > patience_ns) refuse_first();
        wait_ns = look_again_ns;
    }
    world_.loop.after(std::max(wait_ns, others_until_ns_ - world_.loop.monotonic_ns()), [this] { next(); });
}

/// Then the loop is left to others for nine times as long as that took.
void Questions::answer_first() {
    constexpr std::int64_t share = 9;
    const auto began_ns = world_.loop.monotonic_ns();
    const auto question = std::move(waiting_.front());
    waiting_.pop_front();
    question.answer();
    const auto ended_ns = world_.loop.monotonic_ns();
    others_until_ns_ = ended_ns + share * (ended_ns - began_ns);
}

void Questions::refuse_first() {
    std::string why = "the scheduler waits for an answer about a pod";
    for (const auto &who : world_.scheduler->pending_calls()) why += "; " + who;
    const auto question = std::move(waiting_.front());
    waiting_.pop_front();
    question.refuse(kube::status_answer(unavailable, "ServiceUnavailable", why));
}

}  // namespace berth::api

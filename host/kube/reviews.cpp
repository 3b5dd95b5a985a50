// SPDX-License-Identifier: Apache-2.0
#include "kube/reviews.h"

#include <algorithm>
#include <utility>

namespace berth::kube {

void Reviews::ask(const std::string &asker, HttpRequest question, Done done) {
    const auto now = Clock::now();
    question.patience = std::chrono::ceil<std::chrono::seconds>(limits_.patience);
    if (auto dropped = waiting_.add(asker, std::make_shared<Question>(std::move(question), std::move(done), now)))
        (*dropped)->done(std::nullopt);
    pump(now);
}

void Reviews::look(Clock::time_point now) {
    std::vector<std::shared_ptr<Question>> late;
    waiting_.remove_if([&](const auto &one) {
        if (now - one->since < limits_.patience) return false;
        late.push_back(one);
        return true;
    });
    for (const auto &one : late) one->done(std::nullopt);
    pump(now);
}

/// GCRA: a second's worth may be sent at once.
void Reviews::pump(Clock::time_point now) {
    constexpr std::chrono::seconds at_once{1};
    const auto apart =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / limits_.per_second));
    while (!waiting_.empty() && under_way_ < limits_.under_way && next_ < now + at_once) {
        next_ = std::max(next_, now) + apart;
        send(std::move(**waiting_.next(Waiting::Order::NewestFirst)));
    }
}

void Reviews::send(Question question) {
    ++under_way_;
    transport_->request(std::move(question.request),
                        [this, done = std::make_shared<Done>(std::move(question.done))](HttpAnswer answer) {
                            post_([this, done, answer = std::move(answer)]() mutable {
                                --under_way_;
                                (*done)(std::move(answer));
                                pump(Clock::now());
                            });
                        });
}

}  // namespace berth::kube

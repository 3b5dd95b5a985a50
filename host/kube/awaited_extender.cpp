// SPDX-License-Identifier: Apache-2.0
#include "kube/awaited_extender.h"

#include "kube/http_extender.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace berth::kube {

namespace {

/// Real time for as long as somebody waits.
class WaitingClock final : public env::Clock {
    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<std::function<void()>> posted_;
    std::multimap<std::int64_t, std::function<void()>> timers_;  ///< by monotonic time

    /// What is due next. Waits for it.
    std::function<void()> next() {
        std::unique_lock lock(mutex_);
        for (;;) {
            if (!posted_.empty()) {
                auto out = std::move(posted_.front());
                posted_.pop_front();
                return out;
            }
            if (timers_.empty()) {
                more_.wait(lock);
                continue;
            }
            auto left = timers_.begin()->first - monotonic_ns();
            if (left <= 0) return std::move(timers_.extract(timers_.begin()).mapped());
            more_.wait_for(lock, std::chrono::nanoseconds{left});
        }
    }

public:
    std::int64_t now_ns() const override {
        return std::chrono::nanoseconds{std::chrono::system_clock::now().time_since_epoch()}.count();
    }
    std::int64_t monotonic_ns() const override {
        return std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}.count();
    }
    void after(std::int64_t ns, std::function<void()> fn) override {
        std::lock_guard lock(mutex_);
        timers_.emplace(monotonic_ns() + ns, std::move(fn));
    }
    void post(std::function<void()> fn) override {
        std::lock_guard lock(mutex_);
        posted_.push_back(std::move(fn));
        more_.notify_one();
    }
    /// Runs what is due until `answer` is there. What is left, such as the end of its time, is forgotten.
    template <class T>
    T await(const std::optional<T> &answer) {
        while (!answer) next()();
        std::lock_guard lock(mutex_);
        posted_.clear();
        timers_.clear();
        return *answer;
    }
};

class AwaitedExtender final : public env::Extender {
    std::unique_ptr<WaitingClock> clock_;
    std::unique_ptr<env::Extender> inner_;

    template <class T, class Fn>
    void ask(const Done<T> &done, Fn &&fn) {
        std::optional<model::Result<T>> answer;
        fn([&](model::Result<T> given) { answer = std::move(given); });
        done(clock_->await(answer));
    }

public:
    AwaitedExtender(std::unique_ptr<WaitingClock> clock, std::unique_ptr<env::Extender> inner)
        : Extender(inner->traits()), clock_(std::move(clock)), inner_(std::move(inner)) {}

    void filter(const model::Object &pod, std::span<const Node> nodes, Done<Filtered> done) override {
        ask<Filtered>(done, [&](auto answer) { inner_->filter(pod, nodes, std::move(answer)); });
    }
    void prioritize(const model::Object &pod, std::span<const Node> nodes, Done<std::vector<Score>> done) override {
        ask<std::vector<Score>>(done, [&](auto answer) { inner_->prioritize(pod, nodes, std::move(answer)); });
    }
    void preempt(const model::Object &pod, std::span<const Candidate> candidates, Done<Preempted> done) override {
        ask<Preempted>(done, [&](auto answer) { inner_->preempt(pod, candidates, std::move(answer)); });
    }
    void bind(const model::Pod &pod, std::string_view node, Done<void> done) override {
        ask<void>(done, [&](auto answer) { inner_->bind(pod, node, std::move(answer)); });
    }
};

}  // namespace

model::Result<std::vector<std::unique_ptr<env::Extender>>> awaited_extenders(
    const std::vector<config::Extender> &extenders) {
    std::vector<std::unique_ptr<env::Extender>> out;
    for (const auto &extender : in_order(extenders)) {
        if (!extender.bind_verb.empty())
            return model::Error{extender.where +
                                ".bindVerb: a simulation has no API server in which an extender could bind; remove it"};
        auto clock = std::make_unique<WaitingClock>();
        auto made = make_http_extender(extender, *clock);
        if (!made) return made.error();
        out.push_back(std::make_unique<AwaitedExtender>(std::move(clock), std::move(*made)));
    }
    return out;
}

}  // namespace berth::kube

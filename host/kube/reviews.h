// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reviews by the API server (TokenReview, SubjectAccessReview), limited in number and per second. The limits do not
/// depend on the clients or on the API server's answers.

#include "kube/fair_queue.h"
#include "kube/transport.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace berth::kube {

struct ReviewLimits {
    std::size_t under_way = 32;  ///< sent and not answered
    std::size_t waiting = 64;    ///< beyond, the oldest of the client with the most ends
    double per_second = 50;
    std::chrono::milliseconds patience{10'000};  ///< for the whole; as kube-scheduler's TokenReviews
};

/// One thread, to which `post`, called from any, brings the answers. The transport is gone before this.
class Reviews {
public:
    using Clock = std::chrono::steady_clock;
    using Post = std::function<void(std::function<void()>)>;
    /// Nothing: too many ask. Status 0: no answer came.
    using Done = std::function<void(std::optional<HttpAnswer>)>;

    Reviews(Transport *transport, Post post, ReviewLimits limits)
        : transport_(transport), post_(std::move(post)), limits_(limits), waiting_(limits.waiting) {}
    Reviews(const Reviews &) = delete;
    Reviews &operator=(const Reviews &) = delete;

    /// `asker`: whose share of the waiting places it takes. `done` is called once, maybe at once.
    void ask(const std::string &asker, HttpRequest question, Done done);
    /// To be called now and then: sends what may be sent by now, and gives up what has waited too long.
    void look(Clock::time_point now = Clock::now());
    std::size_t under_way() const { return under_way_; }

private:
    struct Question {
        HttpRequest request;
        Done done;
        Clock::time_point since;
    };
    void pump(Clock::time_point now);
    void send(Question question);

    Transport *transport_;
    Post post_;
    ReviewLimits limits_;
    using Waiting = FairQueue<std::shared_ptr<Question>>;
    Waiting waiting_;
    std::size_t under_way_ = 0;
    Clock::time_point next_{};  ///< when the next may be sent, in the long run
};

}  // namespace berth::kube

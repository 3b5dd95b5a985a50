// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Notifications to the dashboard's pages that something has changed: server-sent events, or one long-polled answer.

#include "api/explainer.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace berth::api {

/// On the server's thread, but for what it asks the loop.
class Changes {
public:
    static constexpr std::size_t most_waiting = 32, most_streams = 32;
    /// Between two events of a stream, and two comments of one that nothing happens to.
    static constexpr std::chrono::milliseconds breath{1000}, sign_of_life{15'000};
    /// The longest duration of a stream: the client then reconnects and is authorized again.
    static constexpr std::chrono::minutes stream_ends{5};
    /// How often look() is to be called.
    static constexpr std::chrono::milliseconds rhythm{500};

    explicit Changes(Explainer::World world) : world_(std::move(world)) {}
    Changes(const Changes &) = delete;
    Changes &operator=(const Changes &) = delete;

    /// Before the server starts.
    void add_to(kube::Routes &routes, Explainer::Post post);
    /// Answers the clients that have waited long enough, or for which something has changed.
    void look();

private:
    using Clock = std::chrono::steady_clock;
    struct Waiter {
        std::string since;  ///< what they know
        kube::Answering done;
        Clock::time_point until;
    };
    struct Stream {
        std::shared_ptr<kube::ServedStream> to;
        Clock::time_point ends, said{};  ///< when something was last said
        std::string known{};
    };
    void forget_the_gone();
    void follow(const kube::Answering &done);
    std::string now() const;
    void notify(Stream &stream, const std::string &now, Clock::time_point time);
    void notify(const std::string &now);

    Explainer::World world_;
    Explainer::Post post_;
    std::vector<Waiter> waiters_;
    std::vector<Stream> streams_;
};

}  // namespace berth::api

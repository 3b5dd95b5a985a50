// SPDX-License-Identifier: Apache-2.0
#pragma once

/// When there is something new, for pages that are looked at: server-sent events, one an answer.

#include "cli/explainer.h"

#include <chrono>
#include <string>
#include <vector>

namespace berth::cli {

/// On the server's thread, but for what it asks the loop.
class Changes {
public:
    static constexpr std::size_t most_waiting = 32;
    /// How often look() is to be called.
    static constexpr std::chrono::milliseconds rhythm{500};

    explicit Changes(Explainer::World world) : world_(std::move(world)) {}
    Changes(const Changes &) = delete;
    Changes &operator=(const Changes &) = delete;

    /// Before the server starts.
    void add_to(kube::Routes &routes, Explainer::Post post);
    /// Answers those for whom there is something new, and those who have waited long enough.
    void look();

private:
    using Clock = std::chrono::steady_clock;
    struct Waiter {
        std::string since;  ///< what they know
        kube::Answering done;
        Clock::time_point until;
    };
    std::string now() const;
    void tell(const std::string &now);

    Explainer::World world_;
    Explainer::Post post_;
    std::vector<Waiter> waiters_;
};

}  // namespace berth::cli

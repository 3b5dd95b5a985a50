// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Named health checks, and the texts of /healthz, /livez and /readyz.

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// Any thread.
class Health {
public:
    enum Endpoint : unsigned { Healthz = 1, Livez = 2, Readyz = 4 };
    /// Empty: all is well; else what is not. Called from any thread.
    using Check = std::function<std::string()>;

    /// `endpoints`: one or several of them. A second check of the same name takes the place of the first.
    void add(std::string name, unsigned endpoints, Check check);
    /// A line that never fails and that ?verbose shows: the result of `note` follows "ok".
    void add_note(std::string name, unsigned endpoints, Check note);

    struct Answer {
        int status = 0;  ///< of HTTP; 404: there is no such check
        std::string body;
        std::string failures;  ///< what the log may say and the client may not
    };
    /// An endpoint as upstream answers it: every check but the excluded ones, listed one by one if `verbose` or if one
    /// fails.
    Answer answer(Endpoint endpoint, const std::vector<std::string> &excluded, bool verbose) const;
    /// One check.
    Answer answer(Endpoint endpoint, std::string_view name) const;

private:
    struct Named {
        std::string name;
        unsigned endpoints;
        Check check;
        bool is_note = false;
    };
    std::vector<Named> of(Endpoint endpoint) const;

    mutable std::mutex mutex_;
    std::vector<Named> checks_;
};

/// Shows from other threads whether a loop still turns.
class Heartbeat {
    using Clock = std::chrono::steady_clock;
    std::atomic<Clock::rep> last_ = Clock::now().time_since_epoch().count();
    std::atomic<bool> probed_ = false;

public:
    /// Whether to probe the loop: false while a probe is pending. If true, the caller posts beat().
    bool ask() { return !probed_.exchange(true); }
    void beat() {
        last_ = Clock::now().time_since_epoch().count();
        probed_ = false;
    }
    /// Empty, or that nothing was heard for longer than `patience`.
    std::string check(std::chrono::milliseconds patience) const;
};

}  // namespace berth::report

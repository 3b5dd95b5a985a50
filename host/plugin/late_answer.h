// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A call into a plugin whose answer may come later (BERTH_IN_PROGRESS, berth_done).

#include "env/clock.h"
#include "plugin/call.h"

#include <atomic>
#include <functional>
#include <optional>

namespace berth::plugin {

/// One call. Lives until the plugin has answered. Loop only; the plugin may answer on any thread.
class LateAnswer {
    const Instance &instance_;
    std::string_view point_;
    env::Clock &clock_;
    std::function<void()> on_answer_;
    StatusSlot now_, late_;  ///< the status of the call, and the one of `done`
    berth_done done_{};
    bool awaited_ = false;
    std::int64_t since_ns_ = 0;
    std::atomic<const berth_status *> given_{nullptr};

    static void complete(void *ctx, berth_status *status);

public:
    /// `on_answer` is posted to the loop when the plugin ends the call. `clock` and `instance` outlive it.
    LateAnswer(const Instance &instance, std::string_view point, env::Clock &clock, std::function<void()> on_answer);
    LateAnswer(const LateAnswer &) = delete;
    LateAnswer &operator=(const LateAnswer &) = delete;

    const Instance &instance() const { return instance_; }
    std::string_view point() const { return point_; }
    /// Makes the call, `fn(status, done)`. Its answer, or nothing if it comes later.
    template <class Fn>
    std::optional<model::Status> call(Fn &&fn) {
        model::Status thrown = guard(instance_, point_, [&] { fn(now_.raw(), &done_); });
        if (!thrown.success()) return thrown;
        awaited_ = now_.raw()->code == BERTH_IN_PROGRESS;
        since_ns_ = clock_.monotonic_ns();
        if (awaited_) return std::nullopt;
        return now_.take(instance_, point_);
    }
    bool awaited() const { return awaited_; }                ///< the answer has still to be taken
    bool given() const { return given_.load() != nullptr; }  ///< the plugin has ended the call
    /// How long it has been awaited.
    std::int64_t waited_ns() const { return clock_.monotonic_ns() - since_ns_; }
    /// Did the plugin end an awaited call with that code?
    bool gave(std::int32_t code) const { return given_.load() && given_.load()->code == code; }
    /// The answer, once on_answer has come.
    model::Status take();
};

}  // namespace berth::plugin

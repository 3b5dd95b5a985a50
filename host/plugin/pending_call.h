// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A call into a plugin that may end later (BERTH_STATUS_IN_PROGRESS, berth_done).

#include "env/clock.h"
#include "plugin/call.h"

#include <atomic>
#include <functional>
#include <optional>

namespace berth::plugin {

/// One call. It outlives its end. Loop only; the plugin may end it on any thread.
class PendingCall final : GivenDone {
    const Instance &instance_;
    std::string_view point_;
    Cancellation &cancellation_;
    env::Clock &clock_;
    std::function<void()> on_end_;
    StatusSlot now_, later_;  ///< the status of the call, and the one of `done`
    berth_done done_{};
    bool pending_ = false;
    std::int64_t since_ns_ = 0;
    std::atomic<const berth_status *> ended_{nullptr};

    void complete(berth_status *status) override;
    void settled() { cancellation_.end(instance_.context.get()); }

public:
    /// `on_end` is posted to the loop when the plugin ends the call. `instance`, `context`, which is that of the
    /// attempt, and `clock` outlive it.
    PendingCall(const Instance &instance, std::string_view point, CallContext &context, env::Clock &clock,
                std::function<void()> on_end);
    PendingCall(const PendingCall &) = delete;
    PendingCall &operator=(const PendingCall &) = delete;

    const Instance &instance() const { return instance_; }
    std::string_view point() const { return point_; }
    /// Calls `fn(status, done)`. Returns the status, or nothing while the call is pending.
    template <class Fn>
    std::optional<model::Status> call(Fn &&fn) {
        cancellation_.begin(instance_.context);
        model::Status thrown = guard(instance_, point_, [&] { fn(now_.raw(), &done_); });
        pending_ = thrown.success() && now_.raw()->code == BERTH_STATUS_IN_PROGRESS;
        if (!pending_) settled();
        if (!thrown.success()) return thrown;
        since_ns_ = clock_.monotonic_ns();
        if (pending_) return std::nullopt;
        return now_.take(instance_, point_);
    }
    bool pending() const { return pending_; }                ///< until take()
    bool ended() const { return ended_.load() != nullptr; }  ///< by the plugin
    /// Time since the call was made.
    std::int64_t waited_ns() const { return clock_.monotonic_ns() - since_ns_; }
    /// Whether the plugin ended the pending call with that code.
    bool ended_with(std::int32_t code) const { return ended_.load() && ended_.load()->code == code; }
    /// The status, after on_end was called.
    model::Status take();
};

}  // namespace berth::plugin

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin call that ends later (BERTH_STATUS_IN_PROGRESS, berth_done).

#include "env/clock.h"
#include "plugin/call.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace berth::plugin {

/// One call. It outlives its end. Loop only; the plugin may end it on any thread.
class PendingCall {
    /// What the plugin keeps of it. Where the plugin has not ended the call, this lives until the instance has ended.
    struct Given final : GivenDone {
        env::Clock &clock;
        std::shared_ptr<ShownCall> call;
        std::function<void()> on_end;
        StatusSlot now, later;  ///< the status of the call, and the one of `done`
        berth_done done{};
        std::atomic<const berth_status *> ended{nullptr};  ///< by the plugin, or &abandoned

        Given(env::Clock &clock, std::shared_ptr<ShownCall> call, std::function<void()> on_end);
        void complete(berth_status *status) override;
    };
    static const berth_status abandoned;

    const Instance &instance_;
    std::string_view point_;
    CallContext &call_;
    std::weak_ptr<HostContext> context_;  ///< the instance's
    std::shared_ptr<Given> given_;
    bool pending_ = false;
    std::int64_t since_ns_ = 0;

    void settled() { call_.cancellation().end(context_.lock().get()); }

public:
    /// `on_end` is posted to the loop when the plugin ends the call; it may come after this is gone. `instance`, and
    /// `context`, which is that of the attempt, outlive what is done with this, but for its end; `clock` outlives that.
    PendingCall(const Instance &instance, std::string_view point, CallContext &context, env::Clock &clock,
                std::function<void()> on_end);
    /// Cancels a pending call. The plugin may still end it, without effect.
    ~PendingCall();
    PendingCall(const PendingCall &) = delete;
    PendingCall &operator=(const PendingCall &) = delete;

    const Instance &instance() const { return instance_; }
    std::string_view point() const { return point_; }
    /// Calls `fn(status, done)`. Returns the status, or nothing while the call is pending.
    template <class Fn>
    std::optional<model::Status> call(Fn &&fn) {
        call_.cancellation().begin(context_.lock());
        model::Status thrown = guard(instance_, point_, [&] { fn(given_->now.raw(), &given_->done); });
        pending_ = thrown.success() && given_->now.raw()->code == BERTH_STATUS_IN_PROGRESS;
        if (!pending_) settled();
        if (!thrown.success()) return thrown;
        since_ns_ = given_->clock.monotonic_ns();
        if (pending_) return std::nullopt;
        return given_->now.take(instance_, point_);
    }
    bool pending() const { return pending_; }                       ///< until take()
    bool ended() const { return given_->ended.load() != nullptr; }  ///< by the plugin
    /// Time since the call was made.
    std::int64_t waited_ns() const { return given_->clock.monotonic_ns() - since_ns_; }
    /// Whether the plugin ended the pending call with that code.
    bool ended_with(std::int32_t code) const {
        const auto *status = given_->ended.load();
        return status && status->code == code;
    }
    /// The status, after on_end was called.
    model::Status take();
};

}  // namespace berth::plugin

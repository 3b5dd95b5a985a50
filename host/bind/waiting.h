// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods held in Permit (upstream: WaitOnPermit): each until every plugin that holds it allowed it, anyone rejected it,
/// or a plugin's time is over. A pod that waits holds no thread.

#include "bind/reservation.h"
#include "env/clock.h"
#include "plugin/services.h"

#include <functional>
#include <unordered_map>

namespace berth::bind {

/// How Go prints a duration: "500ms", "1.5s", "15m0s".
std::string duration_text(std::int64_t ns);

/// Loop only.
class Waiting : public plugin::WaitingPods {
public:
    /// Success, or the rejection.
    using OnSettled = std::function<void(model::Status)>;

    explicit Waiting(env::Clock &clock) : clock_(clock) {}

    /// Holds the pod. `on_settled` runs on the loop, never from within a call of this class.
    /// `pod` lives until then.
    void hold(const berth_pod &pod, const std::vector<PermitAnswer::Wait> &waits, OnSettled on_settled);
    /// Lets go without settling.
    void drop(std::string_view uid) { held_.erase(std::string(uid)); }
    std::size_t size() const { return held_.size(); }

    bool allow(std::string_view plugin, std::string_view uid) override;
    /// `plugin` may be "": the scheduler itself, for a pod that was removed.
    bool reject(std::string_view plugin, std::string_view uid, std::string_view reason) override;
    bool preempt(std::string_view plugin, std::string_view uid, std::string_view reason) override;
    void visit(const Visit &visit) override;

private:
    struct Held {
        std::uint64_t number = 0;  ///< tells apart two holds of one UID; grows
        const berth_pod *pod = nullptr;
        std::vector<std::string> by;
        OnSettled on_settled;
    };
    void settle(std::string_view uid, model::Status status);

    env::Clock &clock_;
    std::unordered_map<std::string, Held> held_;  ///< by UID; settled ones have left
    std::uint64_t holds_ = 0;
};

}  // namespace berth::bind

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Waiting pods of Permit, with their timeouts (upstream: waitingPodsMap). A pod waits until every plugin that answered
/// Wait allowed it, one plugin rejected it, or the time of one plugin is over. It occupies no thread.

#include "bind/reservation.h"
#include "env/clock.h"
#include "plugin/services.h"

#include <functional>
#include <unordered_map>

namespace berth::bind {

/// How Go prints a duration: "500ms", "1.5s", "15m0s".
std::string duration_text(std::int64_t ns);

/// Loop only.
class WaitingPods : public plugin::WaitingPods {
public:
    /// Success, or the rejection.
    using OnSettled = std::function<void(model::Status)>;

    explicit WaitingPods(env::Clock &clock) : clock_(clock) {}

    /// The wait of a pod begins. `on_settled` runs on the loop, never from within a call of this class; `pod` lives
    /// until then.
    void add(const berth_pod &pod, const std::vector<PermitAnswer::Wait> &waits, OnSettled on_settled);
    /// Ends the wait without calling `on_settled`.
    void remove(std::string_view uid) { pods_.erase(std::string(uid)); }
    std::size_t size() const { return pods_.size(); }

    bool allow(std::string_view plugin, std::string_view uid) override;
    /// `plugin` may be "": the scheduler itself, when the pod was deleted.
    bool reject(std::string_view plugin, std::string_view uid, std::string_view reason) override;
    bool preempt(std::string_view plugin, std::string_view uid, std::string_view reason) override;
    void visit(const Visit &visit) override;

private:
    struct WaitingPod {
        std::uint64_t number = 0;  ///< distinguishes two waits of one UID; increases
        const berth_pod *pod = nullptr;
        std::vector<std::string> pending_plugins;  ///< that did not allow it yet
        OnSettled on_settled;
    };
    void settle(std::string_view uid, model::Status status);

    env::Clock &clock_;
    std::unordered_map<std::string, WaitingPod> pods_;  ///< by UID; without the settled ones
    std::uint64_t waits_ = 0;
};

}  // namespace berth::bind

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interface that counts plugin calls, attempts and queue moves for metrics. A scheduler has one meter or none
/// (plugin/call_environment.h); where there is none, counting costs a look.

#include "model/status.h"
#include "plugin/call.h"
#include "plugin/called_point.h"
#include "plugin/profile.h"

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

namespace berth::plugin {

/// On the loop.
class Meter {
public:
    virtual ~Meter() = default;
    /// These profiles are in force from now on; earlier instances may be gone.
    virtual void use(std::span<const Profile> profiles) = 0;
    /// A plugin was called about so many nodes (or about the pod: 1).
    virtual void called(const Instance &instance, CalledPoint point, std::size_t slots, std::int64_t ns) = 0;
    /// It had something to say about so many of them: it did not skip the pod.
    virtual void evaluated(const Instance &instance, CalledPoint point, std::size_t slots) = 0;
    /// It rejected so many of them.
    virtual void rejected(const Instance &instance, CalledPoint point, std::size_t slots) = 0;
    /// All plugins of an extension point have been called; `code` is the result.
    virtual void point_ended(std::string_view profile, CalledPoint point, std::int32_t code, std::int64_t ns) = 0;

    /// The way of one pod, known by its UID: what takes longer than a call begins and ends.
    virtual void attempt_began(std::string_view uid) = 0;
    virtual void attempt_searched(std::string_view uid) = 0;
    /// `result`: "scheduled", "unschedulable" or "error".
    virtual void attempt_ended(std::string_view uid, std::string_view profile, std::string_view result) = 0;
    virtual void bound(std::uint32_t attempts, std::int64_t waited_ns) = 0;
    virtual void began(std::string_view uid, CalledPoint point) = 0;
    virtual void ended(std::string_view uid, std::string_view profile, CalledPoint point, std::int32_t code) = 0;
    /// It came into "active", "backoff" or "unschedulable".
    virtual void entered(std::string_view uid, std::string_view queue, std::string_view event) = 0;
};

/// One to whom only the calls matter.
class CallMeter : public Meter {
public:
    void use(std::span<const Profile>) override {}
    void evaluated(const Instance &, CalledPoint, std::size_t) override {}
    void rejected(const Instance &, CalledPoint, std::size_t) override {}
    void point_ended(std::string_view, CalledPoint, std::int32_t, std::int64_t) override {}
    void attempt_began(std::string_view) override {}
    void attempt_searched(std::string_view) override {}
    void attempt_ended(std::string_view, std::string_view, std::string_view) override {}
    void bound(std::uint32_t, std::int64_t) override {}
    void began(std::string_view, CalledPoint) override {}
    void ended(std::string_view, std::string_view, CalledPoint, std::int32_t) override {}
    void entered(std::string_view, std::string_view, std::string_view) override {}
};

inline std::int64_t meter_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

/// guard(), counted: a call about `slots` nodes.
template <class Fn>
model::Status counted(const Instance &instance, CalledPoint point, std::size_t slots, Fn &&fn) {
    Meter *m = instance.meter();
    if (!m) return guard(instance, point, fn);
    const auto start = meter_ns();
    model::Status status = guard(instance, point, fn);
    m->called(instance, point, slots, meter_ns() - start);
    return status;
}

/// How long all plugins of a point take together, from here to end().
class PointTimer {
    Meter *meter_;
    std::string_view profile_;
    CalledPoint point_;
    std::int64_t start_;

public:
    PointTimer(const Profile &profile, CalledPoint point)
        : meter_(profile.meter()), profile_(profile.scheduler_name), point_(point), start_(meter_ ? meter_ns() : 0) {}
    void end(std::int32_t code) {
        if (meter_) meter_->point_ended(profile_, point_, code, meter_ns() - start_);
    }
};

}  // namespace berth::plugin

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Metrics of scheduling attempts: results, durations of an attempt and of its parts, times until pods are bound.

#include "model/keyed_hash.h"
#include "plugin/called_point.h"
#include "report/metric_definitions.h"
#include "report/series.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::report {

/// On the loop. The calls but pod_evicted() are those of plugin::Meter.
class AttemptMetrics {
public:
    /// Both outlive it.
    AttemptMetrics(Metrics &metrics, const MetricDefinitions &definitions);

    void attempt_began(std::string_view uid);
    void attempt_searched(std::string_view uid);
    void attempt_ended(std::string_view uid, std::string_view profile, std::string_view result);
    void bound(std::uint32_t attempts, std::int64_t waited_ns);
    void began(std::string_view uid, plugin::CalledPoint point);
    void ended(std::string_view uid, std::string_view profile, plugin::CalledPoint point, std::int32_t code);
    void point_ended(std::string_view profile, plugin::CalledPoint point, std::int32_t code, std::int64_t ns);
    /// A plugin asked the API server to delete a pod.
    void pod_evicted() { ++evicted_; }

private:
    /// Of a pod under way.
    struct PodTimes {
        std::int64_t began_ns = 0, step_ns = 0;
    };
    struct OfPoint {
        std::string_view profile;
        plugin::CalledPoint point;
        std::int32_t code;
        auto operator<=>(const OfPoint &) const = default;
        OfPoint kept_in(Texts &texts) const { return {texts.keep(profile), point, code}; }
        Metrics::Labels labels() const;
    };
    struct OfResult {
        std::string_view profile, result;
        auto operator<=>(const OfResult &) const = default;
        OfResult kept_in(Texts &texts) const { return {texts.keep(profile), texts.keep(result)}; }
        Metrics::Labels labels() const;
    };
    struct OfCode {
        std::int32_t code;
        auto operator<=>(const OfCode &) const = default;
        OfCode kept_in(Texts &) const { return *this; }
        Metrics::Labels labels() const;
    };
    struct Attempts {
        Counter count;
        Histogram duration;
    };
    static constexpr std::uint32_t shared_from = 15;  ///< pods with so many attempts, or more, share a series

    Metrics &metrics_;
    const MetricDefinitions &definitions_;
    model::KeyedTable<PodTimes> times_;  ///< by UID
    Histogram algorithm_, pod_attempts_, victims_;
    Counter preemptions_;
    SeriesBy<OfPoint, Histogram> points_;
    SeriesBy<OfResult, Attempts> attempts_;
    SeriesBy<OfCode, Histogram> permit_waits_;
    std::array<std::optional<Histogram>, shared_from + 1> sli_;  ///< by the number of attempts
    std::size_t evicted_ = 0;                                    ///< since the last attempt that ended
};

}  // namespace berth::report

// SPDX-License-Identifier: Apache-2.0
#include "report/attempt_metrics.h"

#include "model/status.h"
#include "model/time.h"
#include "plugin/meter.h"

#include <algorithm>
#include <utility>

namespace berth::report {

using model::in_seconds;

AttemptMetrics::AttemptMetrics(Metrics &metrics, const MetricDefinitions &definitions)
    : metrics_(metrics),
      definitions_(definitions),
      algorithm_(metrics.histogram(definitions.algorithm_duration)),
      pod_attempts_(metrics.histogram(definitions.pod_attempts)),
      victims_(metrics.histogram(definitions.preemption_victims)),
      preemptions_(metrics.counter(definitions.preemption_attempts)),
      points_(
          [this](const Metrics::Labels &labels) { return metrics_.histogram(definitions_.point_duration, labels); }),
      attempts_([this](const Metrics::Labels &labels) {
          return Attempts{metrics_.counter(definitions_.schedule_attempts, labels),
                          metrics_.histogram(definitions_.attempt_duration, labels)};
      }),
      permit_waits_(
          [this](const Metrics::Labels &labels) { return metrics_.histogram(definitions_.permit_wait, labels); }) {}

Metrics::Labels AttemptMetrics::OfPoint::labels() const {
    return {{"profile", std::string(profile)},
            {"extension_point", std::string(point.text())},
            {"status", model::code_name(code)}};
}
Metrics::Labels AttemptMetrics::OfResult::labels() const {
    return {{"result", std::string(result)}, {"profile", std::string(profile)}};
}
Metrics::Labels AttemptMetrics::OfCode::labels() const { return {{"result", model::code_name(code)}}; }

void AttemptMetrics::attempt_began(std::string_view uid) { times_[std::string(uid)] = {plugin::meter_ns(), 0}; }

void AttemptMetrics::attempt_searched(std::string_view uid) {
    const auto at = times_.find(uid);
    if (at != times_.end()) algorithm_.observe(in_seconds(plugin::meter_ns() - at->second.began_ns));
}

void AttemptMetrics::attempt_ended(std::string_view uid, std::string_view profile, std::string_view result) {
    if (auto victims = std::exchange(evicted_, 0); victims > 0) victims_.observe(static_cast<double>(victims));
    const auto at = times_.find(uid);
    if (at == times_.end()) return;
    const auto took = plugin::meter_ns() - at->second.began_ns;
    times_.erase(at);
    const auto &attempts = attempts_.of({profile, result});
    attempts.count.add();
    attempts.duration.observe(in_seconds(took));
}

void AttemptMetrics::bound(std::uint32_t attempts, std::int64_t waited_ns) {
    pod_attempts_.observe(attempts);
    auto &sli = sli_[std::min(attempts, shared_from)];
    if (!sli)
        sli = metrics_.histogram(
            definitions_.sli_duration,
            {{"attempts", attempts >= shared_from ? std::to_string(shared_from) + "+" : std::to_string(attempts)}});
    sli->observe(in_seconds(waited_ns));
}

void AttemptMetrics::began(std::string_view uid, plugin::CalledPoint point) {
    times_[std::string(uid)].step_ns = plugin::meter_ns();
    if (point == plugin::CalledPoint::PostFilter) preemptions_.add();
}

void AttemptMetrics::ended(std::string_view uid, std::string_view profile, plugin::CalledPoint point,
                           std::int32_t code) {
    const auto at = times_.find(uid);
    if (at == times_.end()) return;
    const auto took = plugin::meter_ns() - at->second.step_ns;
    if (point == plugin::CalledPoint::PermitWait) permit_waits_.of({code}).observe(in_seconds(took));
    else point_ended(profile, point, code, took);
}

void AttemptMetrics::point_ended(std::string_view profile, plugin::CalledPoint point, std::int32_t code,
                                 std::int64_t ns) {
    points_.of({profile, point, code}).observe(in_seconds(ns));
}

}  // namespace berth::report

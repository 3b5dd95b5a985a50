// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Definitions of the scheduler's metrics: name, help text and buckets of each.

#include "config/rules.h"
#include "report/metrics.h"

namespace berth::report {

struct MetricDefinitions {
    // kube-scheduler's.
    Metric schedule_attempts, attempt_duration, algorithm_duration, preemption_victims, preemption_attempts,
        pending_pods, pod_attempts, point_duration, incoming_pods, goroutines, sli_duration, permit_wait,
        unschedulable_pods, plugin_evaluations, cache_size, master_status, slow_paths;
    // Berth's own.
    Metric plugin_calls, plugin_slots, plugin_seconds, plugin_rejections, plugin_failures, reloads_total, reload_ok,
        events_lost, events_waiting, unreadable_objects, memory_bytes, memory_limit, memory_used, shadow_attempts,
        shadow_seconds, shadow_real_seconds, shadow_active;
};

/// As the release has them whose rules these are.
MetricDefinitions metric_definitions(const config::Rules &rules);

}  // namespace berth::report

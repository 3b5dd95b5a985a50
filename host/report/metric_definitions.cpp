// SPDX-License-Identifier: Apache-2.0
#include "report/metric_definitions.h"

namespace berth::report {

// NOLINTBEGIN(readability-magic-numbers): upstream's names, texts and buckets, as they are.
MetricDefinitions metric_definitions(const config::Rules &rules) {
    return {
        // kube-scheduler's, pkg/scheduler/metrics, and component-base's, metrics/prometheus/clientgo/leaderelection.
        .schedule_attempts = {"scheduler_schedule_attempts_total",
                              "[STABLE] Number of attempts to schedule pods, by the result. 'unschedulable' means a "
                              "pod could not be scheduled, while 'error' means an internal scheduler problem."},
        .attempt_duration = {"scheduler_scheduling_attempt_duration_seconds",
                             "[STABLE] Scheduling attempt latency in seconds (scheduling algorithm + binding)",
                             exponential_buckets(0.001, 2, 15)},
        .algorithm_duration = {"scheduler_scheduling_algorithm_duration_seconds",
                               rules.metrics_know_groups ? "[BETA] Scheduling algorithm latency in seconds"
                                                         : "[ALPHA] Scheduling algorithm latency in seconds",
                               exponential_buckets(0.001, 2, 15)},
        .preemption_victims =
            {"scheduler_preemption_victims",
             rules.metrics_know_groups
                 ? "[STABLE] Number of selected preemption victims for preemption initiated by a single pod"
                 : "[STABLE] Number of selected preemption victims",
             exponential_buckets(1, 2, 7)},
        .preemption_attempts = {"scheduler_preemption_attempts_total",
                                "[STABLE] Total preemption attempts in the cluster till now"},
        .pending_pods =
            {"scheduler_pending_pods",
             rules.metrics_know_groups
                 ? "[STABLE] Number of pending pods, by the queue type. 'active' means number of pods in activeQ; "
                   "'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in "
                   "unschedulableEntities that the scheduler attempted to schedule and failed; 'gated' is the number "
                   "of unschedulable pods that the scheduler never attempted to schedule because they are gated; "
                   "'incomplete' means number of pods in incompletePodGroupPods; 'pending' means number of pods in "
                   "pendingPodGroupPods."
                 : "[STABLE] Number of pending pods, by the queue type. 'active' means number of pods in activeQ; "
                   "'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in "
                   "unschedulablePods that the scheduler attempted to schedule and failed; 'gated' is the number of "
                   "unschedulable pods that the scheduler never attempted to schedule because they are gated."},
        .pod_attempts = {"scheduler_pod_scheduling_attempts",
                         "[STABLE] Number of attempts to successfully schedule a pod.", exponential_buckets(1, 2, 5)},
        .point_duration = {"scheduler_framework_extension_point_duration_seconds",
                           "[STABLE] Latency for running all plugins of a specific extension point.",
                           exponential_buckets(0.0001, 2, 12)},
        .incoming_pods = {"scheduler_queue_incoming_pods_total",
                          "[STABLE] Number of pods added to scheduling queues by event and queue type."},
        .goroutines = {"scheduler_goroutines",
                       "[BETA] Number of running goroutines split by the work they do such as binding."},
        .sli_duration = {"scheduler_pod_scheduling_sli_duration_seconds",
                         "[BETA] E2e latency for a pod being scheduled, from the time the pod enters the scheduling "
                         "queue and might involve multiple scheduling attempts.",
                         exponential_buckets(0.01, 2, 20)},
        .permit_wait = {"scheduler_permit_wait_duration_seconds", "[BETA] Duration of waiting on permit.",
                        exponential_buckets(0.001, 2, 15)},
        .unschedulable_pods = {"scheduler_unschedulable_pods",
                               "[BETA] The number of unschedulable pods broken down by plugin name. A pod will "
                               "increment the gauge for all plugins that caused it to not schedule and so this metric "
                               "have meaning only when broken down by plugin."},
        .plugin_evaluations = {"scheduler_plugin_evaluation_total",
                               "[BETA] Number of attempts to schedule pods by each plugin and the extension point "
                               "(available only in PreFilter, Filter, PreScore, and Score)."},
        .cache_size = {"scheduler_cache_size",
                       "[ALPHA] Number of nodes, pods, and assumed (bound) pods in the scheduler cache."},
        .master_status =
            {"leader_election_master_status",
             "[ALPHA] Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 "
             "indicates master. 'name' is the string used to identify the lease. Please make sure to group by name."},
        .slow_paths = {"leader_election_slowpath_total",
                       "[ALPHA] Total number of slow path exercised in renewing leader leases. 'name' is the string "
                       "used to identify the lease. Please make sure to group by name."},
        // Berth's own.
        .plugin_calls = {"berth_plugin_calls_total", "Number of calls into a plugin."},
        .plugin_slots = {"berth_plugin_slots_total",
                         "Number of nodes that a plugin was asked about; 1 for a call about a pod alone."},
        .plugin_seconds = {"berth_plugin_seconds_total", "Time spent in a plugin's calls, in seconds."},
        .plugin_rejections = {"berth_plugin_rejections_total",
                              "Number of nodes that a plugin rejected; 1 for a pod that it rejected alone."},
        .plugin_failures = {"berth_plugin_failures_total",
                            "Number of calls in which a plugin misbehaved: threw, broke the ABI or hung."},
        .reloads_total = {"berth_config_reloads_total", "Number of changes of the configuration, by result."},
        .reload_ok = {"berth_config_last_reload_successful",
                      "Whether the last change of the configuration is in force; 1 when there was none."},
        .events_lost = {"berth_events_lost_total",
                        "Number of events that were lost: dropped because too many were waiting for the API server, or "
                        "refused by it."},
        .events_waiting = {"berth_events_waiting", "Number of events that wait for the API server."},
        .unreadable_objects = {"berth_unreadable_objects",
                               "Number of objects of the API server that cannot be read, by resource: they are left "
                               "out, or an earlier version of them is in force."},
        .memory_bytes = {"berth_memory_bytes", "What the process's memory is for, by kind, in bytes."},
        .memory_limit = {"berth_memory_limit_bytes", "The control group's limit of memory, in bytes."},
        .memory_used = {"berth_memory_used_bytes",
                        "What the control group uses of its limit, in bytes, without what the kernel can take back."},
        .shadow_attempts = {"berth_shadow_attempts_total",
                            "Number of attempts that the shadow was to be asked about, by what it would have done."},
        .shadow_seconds = {"berth_shadow_seconds_total", "Time that the shadow took, in seconds."},
        .shadow_real_seconds = {"berth_shadow_real_seconds_total",
                                "Time that the real attempts took meanwhile, in seconds."},
        .shadow_active = {"berth_shadow_asked", "Whether the shadow is asked; 0 when it was put aside."},
    };
}
// NOLINTEND(readability-magic-numbers)

}  // namespace berth::report

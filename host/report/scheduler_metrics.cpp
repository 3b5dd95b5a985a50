// SPDX-License-Identifier: Apache-2.0
#include "report/scheduler_metrics.h"

#include "model/time.h"

#include <utility>

namespace berth::report {

SchedulerMetrics::SchedulerMetrics(const config::Rules &rules)
    : definitions_(metric_definitions(rules)),
      know_groups_(rules.metrics_know_groups),
      attempts_(metrics_, definitions_),
      plugins_(metrics_, definitions_),
      incoming_(
          [this](const Metrics::Labels &labels) { return metrics_.counter(definitions_.incoming_pods, labels); }) {}

void SchedulerMetrics::grow(const Metric &metric, const Metrics::Labels &labels, std::uint64_t now) {
    auto [at, fresh] = grown_.try_emplace({metric.name, labels});
    auto &[counter, before] = at->second;
    if (fresh) counter = metrics_.counter(metric, labels);
    counter.add(static_cast<double>(now - std::exchange(before, now)));
}

void SchedulerMetrics::update(const Reloads &reloads) {
    grow(definitions_.reloads_total, {{"result", "taken"}}, reloads.taken);
    grow(definitions_.reloads_total, {{"result", "refused"}}, reloads.refused);
    metrics_.gauge(definitions_.reload_ok, {}).set(reloads.last_taken ? 1 : 0);
}

void SchedulerMetrics::update(const plugin::PluginFailures::Counts &failures) {
    for (const auto &[who, times] : failures)
        grow(definitions_.plugin_failures, {{"plugin", who.first}, {"extension_point", who.second}}, times);
}

void SchedulerMetrics::update(const queue::Queue &queue, const cluster::Cache &cache, std::size_t binding) {
    auto set = [&](const Metric &metric, const char *label, const char *value, std::size_t n) {
        metrics_.gauge(metric, {{label, value}}).set(static_cast<double>(n));
    };
    const Metric &pending = definitions_.pending_pods;
    set(pending, "queue", "active", queue.active());
    set(pending, "queue", "backoff", queue.backing_off());
    set(pending, "queue", "unschedulable", queue.unschedulable());
    set(pending, "queue", "gated", queue.gated());
    if (know_groups_) {
        set(pending, "queue", "incomplete", queue.incomplete());
        set(pending, "queue", "pending", queue.pending());
    }
    set(definitions_.cache_size, "type", "nodes", cache.node_count());
    set(definitions_.cache_size, "type", "pods", cache.pod_count());
    set(definitions_.cache_size, "type", "assumed_pods", binding);
    set(definitions_.goroutines, "operation", "binding", binding);
    std::map<std::pair<std::string, std::string>, std::size_t> rejected;
    queue.each([&](const queue::QueuedPod &pod) {
        for (const auto *instance : pod.unschedulable) ++rejected[{instance->name, pod.profile->scheduler_name}];
    });
    metrics_.clear_gauges(definitions_.unschedulable_pods);
    for (const auto &[who, pods] : rejected)
        metrics_.gauge(definitions_.unschedulable_pods, {{"plugin", who.first}, {"profile", who.second}})
            .set(static_cast<double>(pods));
}

void SchedulerMetrics::update(const Lease &lease) {
    // kube-scheduler's name for it, whatever the lease is called.
    const Metrics::Labels labels{{"name", "kube-scheduler"}};
    metrics_.gauge(definitions_.master_status, labels).set(lease.leads ? 1 : 0);
    // As there: a counter that was never used is not shown.
    if (lease.slow_paths > 0) grow(definitions_.slow_paths, labels, lease.slow_paths);
}

void SchedulerMetrics::update(const EventWriter &events) {
    grow(definitions_.events_lost, {{"reason", "dropped"}}, events.dropped());
    grow(definitions_.events_lost, {{"reason", "refused"}}, events.refused());
    metrics_.gauge(definitions_.events_waiting).set(static_cast<double>(events.waiting()));
}

void SchedulerMetrics::update_unreadable(const std::map<std::string, std::size_t> &objects) {
    for (const auto &[resource, n] : objects)
        metrics_.gauge(definitions_.unreadable_objects, {{"resource", resource}}).set(static_cast<double>(n));
}

void SchedulerMetrics::update(const MemoryUse &memory) {
    for (const auto &kind : memory.kinds)
        metrics_.gauge(definitions_.memory_bytes, {{"kind", std::string(kind.name)}})
            .set(static_cast<double>(kind.bytes));
    if (!memory.group) return;
    metrics_.gauge(definitions_.memory_limit).set(static_cast<double>(memory.group->limit));
    metrics_.gauge(definitions_.memory_used).set(static_cast<double>(memory.group->used));
}

void SchedulerMetrics::update(const model::ShadowCounts &shadow, bool paused) {
    for (std::size_t i = 0; i < model::agreements; ++i) {
        const auto agreement = static_cast<model::Agreement>(i);
        grow(definitions_.shadow_attempts, {{"result", std::string(model::agreement_name(agreement))}},
             shadow.of(agreement));
    }
    const auto since = [](std::int64_t now, std::int64_t &before) {
        return model::in_seconds(now - std::exchange(before, now));
    };
    metrics_.counter(definitions_.shadow_seconds).add(since(shadow.shadow_ns, shadow_ns_));
    metrics_.counter(definitions_.shadow_real_seconds).add(since(shadow.real_ns, real_ns_));
    metrics_.gauge(definitions_.shadow_active).set(paused ? 0 : 1);
}

}  // namespace berth::report

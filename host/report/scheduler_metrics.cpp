// SPDX-License-Identifier: Apache-2.0
#include "report/scheduler_metrics.h"

#include "report/profile_plugins.h"

#include <algorithm>
#include <array>

namespace berth::report {
namespace {

constexpr double second_ns = 1e9;

// NOLINTBEGIN(readability-magic-numbers): upstream's names, texts and buckets, as they are.
const Metric schedule_attempts{
    "scheduler_schedule_attempts_total",
    "[STABLE] Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, "
    "while 'error' means an internal scheduler problem."};
const Metric attempt_duration{"scheduler_scheduling_attempt_duration_seconds",
                              "[STABLE] Scheduling attempt latency in seconds (scheduling algorithm + binding)",
                              exponential_buckets(0.001, 2, 15)};
const Metric algorithm_duration{"scheduler_scheduling_algorithm_duration_seconds",
                                "[ALPHA] Scheduling algorithm latency in seconds", exponential_buckets(0.001, 2, 15)};
const Metric algorithm_duration_1_37{"scheduler_scheduling_algorithm_duration_seconds",
                                     "[BETA] Scheduling algorithm latency in seconds",
                                     exponential_buckets(0.001, 2, 15)};
const Metric preemption_victims{"scheduler_preemption_victims", "[STABLE] Number of selected preemption victims",
                                exponential_buckets(1, 2, 7)};
const Metric preemption_victims_1_37{
    "scheduler_preemption_victims",
    "[STABLE] Number of selected preemption victims for preemption initiated by a single pod",
    exponential_buckets(1, 2, 7)};
const Metric preemption_attempts{"scheduler_preemption_attempts_total",
                                 "[STABLE] Total preemption attempts in the cluster till now"};
const Metric pending_pods{
    "scheduler_pending_pods",
    "[STABLE] Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means "
    "number of pods in backoffQ; 'unschedulable' means number of pods in unschedulablePods that the scheduler "
    "attempted "
    "to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to "
    "schedule "
    "because they are gated."};
const Metric pending_pods_1_37{
    "scheduler_pending_pods",
    "[STABLE] Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means "
    "number of pods in backoffQ; 'unschedulable' means number of pods in unschedulableEntities that the scheduler "
    "attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted "
    "to schedule because they are gated; 'incomplete' means number of pods in incompletePodGroupPods; 'pending' means "
    "number of pods in pendingPodGroupPods."};
const Metric pod_attempts{"scheduler_pod_scheduling_attempts",
                          "[STABLE] Number of attempts to successfully schedule a pod.", exponential_buckets(1, 2, 5)};
const Metric point_duration{"scheduler_framework_extension_point_duration_seconds",
                            "[STABLE] Latency for running all plugins of a specific extension point.",
                            exponential_buckets(0.0001, 2, 12)};
const Metric incoming_pods{"scheduler_queue_incoming_pods_total",
                           "[STABLE] Number of pods added to scheduling queues by event and queue type."};
const Metric goroutines{"scheduler_goroutines",
                        "[BETA] Number of running goroutines split by the work they do such as binding."};
const Metric sli_duration{"scheduler_pod_scheduling_sli_duration_seconds",
                          "[BETA] E2e latency for a pod being scheduled, from the time the pod enters the scheduling "
                          "queue and might involve multiple scheduling attempts.",
                          exponential_buckets(0.01, 2, 20)};
const Metric permit_wait{"scheduler_permit_wait_duration_seconds", "[BETA] Duration of waiting on permit.",
                         exponential_buckets(0.001, 2, 15)};
const Metric unschedulable_pods{
    "scheduler_unschedulable_pods",
    "[BETA] The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all "
    "plugins "
    "that caused it to not schedule and so this metric have meaning only when broken down by plugin."};
const Metric plugin_evaluations{"scheduler_plugin_evaluation_total",
                                "[BETA] Number of attempts to schedule pods by each plugin and the extension point "
                                "(available only in PreFilter, Filter, PreScore, and Score)."};
const Metric cache_size{"scheduler_cache_size",
                        "[ALPHA] Number of nodes, pods, and assumed (bound) pods in the scheduler cache."};
// component-base's, metrics/prometheus/clientgo/leaderelection.
const Metric master_status{
    "leader_election_master_status",
    "[ALPHA] Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. "
    "'name' is the string used to identify the lease. Please make sure to group by name."};
const Metric slow_paths{"leader_election_slowpath_total",
                        "[ALPHA] Total number of slow path exercised in renewing leader leases. 'name' is the string "
                        "used to identify the lease. Please make sure to group by name."};
// NOLINTEND(readability-magic-numbers)
const Metric plugin_calls{"berth_plugin_calls_total", "Number of calls into a plugin."};
const Metric plugin_slots{"berth_plugin_slots_total",
                          "Number of nodes that a plugin was asked about; 1 for a call about a pod alone."};
const Metric plugin_seconds{"berth_plugin_seconds_total", "Time spent in a plugin's calls, in seconds."};
const Metric plugin_rejections{"berth_plugin_rejections_total",
                               "Number of nodes that a plugin rejected; 1 for a pod that it rejected alone."};
const Metric plugin_failures{"berth_plugin_failures_total",
                             "Number of calls in which a plugin misbehaved: threw, broke the ABI or hung."};
const Metric reloads_total{"berth_config_reloads_total", "Number of changes of the configuration, by result."};
const Metric reload_ok{"berth_config_last_reload_successful",
                       "Whether the last change of the configuration is in force; 1 when there was none."};
const Metric events_lost{"berth_events_lost_total",
                         "Number of events that were lost: dropped because too many were waiting for the API "
                         "server, or refused by it."};
const Metric events_waiting{"berth_events_waiting", "Number of events that wait for the API server."};
const Metric unreadable_objects{
    "berth_unreadable_objects",
    "Number of objects of the API server that cannot be read, by resource: they are left out, or "
    "an earlier version of them is in force."};
const Metric memory_bytes{"berth_memory_bytes", "What the process's memory is for, by kind, in bytes."};
const Metric memory_limit{"berth_memory_limit_bytes", "The control group's limit of memory, in bytes."};
const Metric memory_used{"berth_memory_used_bytes",
                         "What the control group uses of its limit, in bytes, without what the kernel can take back."};

const Metric shadow_attempts{"berth_shadow_attempts_total",
                             "Number of attempts that the shadow was to be asked about, by what it would have done."};
const Metric shadow_seconds{"berth_shadow_seconds_total", "Time that the shadow took, in seconds."};
const Metric shadow_real_seconds{"berth_shadow_real_seconds_total",
                                 "Time that the real attempts took meanwhile, in seconds."};
const Metric shadow_active{"berth_shadow_asked", "Whether the shadow is asked; 0 when it was put aside."};

constexpr std::string_view permit_wait_point = "PermitWait";

/// How a plugin appears in a scrape of kube-scheduler's at the points whose evaluations are counted.
constexpr std::array<std::string_view, 4> counted_points{"PreFilter", "Filter", "PreScore", "Score"};

std::string code_text(std::int32_t code) { return model::code_name(code); }

}  // namespace

std::size_t SchedulerMetrics::Hash::operator()(const Key &key) const {
    constexpr std::size_t odd = 31;
    const std::hash<const void *> hash;
    return hash(key.instance) * odd + hash(key.point);
}

SchedulerMetrics::SchedulerMetrics(const config::Rules &rules)
    : know_groups_(rules.metrics_know_groups),
      algorithm_(metrics_.histogram(know_groups_ ? algorithm_duration_1_37 : algorithm_duration)),
      attempts_(metrics_.histogram(pod_attempts)),
      victims_(metrics_.histogram(know_groups_ ? preemption_victims_1_37 : preemption_victims)),
      preemptions_(metrics_.counter(preemption_attempts)) {}

Counter SchedulerMetrics::evaluations(const std::string &plugin, const std::string &profile, std::string_view point) {
    return metrics_.counter(plugin_evaluations,
                            {{"plugin", plugin}, {"profile", profile}, {"extension_point", std::string(point)}});
}

void SchedulerMetrics::use(std::span<const plugin::Profile> profiles) {
    called_.clear();
    profile_of_.clear();
    in_force_ = plugin_list(profiles);
    for (const auto &profile : profiles) {
        const std::string &name = profile.scheduler_name;
        for (const auto &instance : profile.instances) profile_of_[instance.get()] = name;
        // As upstream: those that were never called are there, too.
        for (const auto *one : profile.pre_filter) evaluations(one->name, name, "PreFilter");
        for (const auto *one : profile.filter) evaluations(one->name, name, "Filter");
        for (const auto *one : profile.pre_score) evaluations(one->name, name, "PreScore");
        for (const auto &one : profile.score) evaluations(one.instance->name, name, "Score");
    }
}

SchedulerMetrics::OfPlugin &SchedulerMetrics::of(const plugin::Instance &instance, std::string_view point) {
    auto &called = called_[{&instance, point.data()}];
    // A new instance may stand where an old one stood.
    if (called.of && called.name == instance.name) return *called.of;
    auto at = profile_of_.find(&instance);
    const std::string profile = at == profile_of_.end() ? "" : at->second;
    const auto [known, fresh] = plugins_.try_emplace({profile, instance.name, std::string(point)});
    called = {instance.name, &known->second};
    if (!fresh) return *called.of;
    const Metrics::Labels labels{
        {"plugin", instance.name}, {"extension_point", std::string(point)}, {"profile", profile}};
    auto &out = *called.of;
    out.calls = metrics_.counter(plugin_calls, labels);
    out.slots = metrics_.counter(plugin_slots, labels);
    out.seconds = metrics_.counter(plugin_seconds, labels);
    out.rejections = metrics_.counter(plugin_rejections, labels);
    if (std::ranges::find(counted_points, point) != counted_points.end())
        out.evaluations = evaluations(instance.name, profile, point);
    return out;
}

void SchedulerMetrics::called(const plugin::Instance &instance, std::string_view point, std::size_t slots,
                              std::int64_t ns) {
    auto &known = of(instance, point);
    ++known.latency[PluginCalls::bucket(ns)];
    known.calls.add();
    known.slots.add(static_cast<double>(slots));
    known.seconds.add(static_cast<double>(ns) / second_ns);
}

void SchedulerMetrics::evaluated(const plugin::Instance &instance, std::string_view point, std::size_t slots) {
    of(instance, point).evaluations.add(static_cast<double>(slots));
}

void SchedulerMetrics::rejected(const plugin::Instance &instance, std::string_view point, std::size_t slots) {
    of(instance, point).rejections.add(static_cast<double>(slots));
}

void SchedulerMetrics::point_ended(std::string_view profile, std::string_view point, std::int32_t code,
                                   std::int64_t ns) {
    std::string &key = point_key_;
    key.assign(profile).append("\n").append(point).append("\n").append(std::to_string(code));
    auto at = points_.find(key);
    if (at == points_.end())
        at = points_
                 .emplace(key, metrics_.histogram(point_duration, {{"profile", std::string(profile)},
                                                                   {"extension_point", std::string(point)},
                                                                   {"status", code_text(code)}}))
                 .first;
    at->second.observe(static_cast<double>(ns) / second_ns);
}

void SchedulerMetrics::attempt_began(std::string_view uid) { ways_[std::string(uid)] = {plugin::meter_ns(), 0}; }

void SchedulerMetrics::attempt_searched(std::string_view uid) {
    auto at = ways_.find(std::string(uid));
    if (at != ways_.end())
        algorithm_.observe(static_cast<double>(plugin::meter_ns() - at->second.began_ns) / second_ns);
}

void SchedulerMetrics::attempt_ended(std::string_view uid, std::string_view profile, std::string_view result) {
    if (auto victims = std::exchange(evicted_, 0); victims > 0) victims_.observe(static_cast<double>(victims));
    auto at = ways_.find(std::string(uid));
    if (at == ways_.end()) return;
    const auto took = static_cast<double>(plugin::meter_ns() - at->second.began_ns) / second_ns;
    ways_.erase(at);
    std::string key = std::string(profile) + "\n" + std::string(result);
    auto of_result = results_.find(key);
    if (of_result == results_.end()) {
        const Metrics::Labels labels{{"result", std::string(result)}, {"profile", std::string(profile)}};
        of_result = results_
                        .emplace(key, std::pair(metrics_.counter(schedule_attempts, labels),
                                                metrics_.histogram(attempt_duration, labels)))
                        .first;
    }
    of_result->second.first.add();
    of_result->second.second.observe(took);
}

void SchedulerMetrics::bound(std::uint32_t attempts, std::int64_t waited_ns) {
    constexpr std::uint32_t most = 15;
    attempts_.observe(attempts);
    metrics_.histogram(sli_duration, {{"attempts", attempts >= most ? "15+" : std::to_string(attempts)}})
        .observe(static_cast<double>(waited_ns) / second_ns);
}

void SchedulerMetrics::began(std::string_view uid, std::string_view point) {
    ways_[std::string(uid)].step_ns = plugin::meter_ns();
    if (point == "PostFilter") preemptions_.add();
}

void SchedulerMetrics::ended(std::string_view uid, std::string_view profile, std::string_view point,
                             std::int32_t code) {
    auto at = ways_.find(std::string(uid));
    if (at == ways_.end()) return;
    const auto took = plugin::meter_ns() - at->second.step_ns;
    if (point == permit_wait_point)
        metrics_.histogram(permit_wait, {{"result", code_text(code)}}).observe(static_cast<double>(took) / second_ns);
    else point_ended(profile, point, code, took);
}

void SchedulerMetrics::entered(std::string_view, std::string_view queue, std::string_view event) {
    std::string key = std::string(queue) + "\n" + std::string(event);
    auto at = entered_.find(key);
    if (at == entered_.end())
        at = entered_
                 .emplace(key, metrics_.counter(incoming_pods,
                                                {{"queue", std::string(queue)}, {"event", std::string(event)}}))
                 .first;
    at->second.add();
}

void SchedulerMetrics::count(const Metric &metric, const Metrics::Labels &labels, std::uint64_t now) {
    std::string key = metric.name;
    for (const auto &[label, value] : labels) (key += '\n') += value;
    auto &before = counted_[key];
    metrics_.counter(metric, labels).add(static_cast<double>(now - before));
    before = now;
}

void SchedulerMetrics::update(const Reloads &reloads) {
    count(reloads_total, {{"result", "taken"}}, reloads.taken);
    count(reloads_total, {{"result", "refused"}}, reloads.refused);
    metrics_.gauge(reload_ok, {}).set(reloads.last_taken ? 1 : 0);
}

void SchedulerMetrics::update(const plugin::PluginFailures::Counts &failures) {
    for (const auto &[who, times] : failures)
        count(plugin_failures, {{"plugin", who.first}, {"extension_point", who.second}}, times);
}

void SchedulerMetrics::update(const queue::Queue &queue, const cluster::Cache &cache, std::size_t binding) {
    auto set = [&](const Metric &metric, const char *label, const char *value, std::size_t n) {
        metrics_.gauge(metric, {{label, value}}).set(static_cast<double>(n));
    };
    const Metric &pending = know_groups_ ? pending_pods_1_37 : pending_pods;
    set(pending, "queue", "active", queue.active());
    set(pending, "queue", "backoff", queue.backing_off());
    set(pending, "queue", "unschedulable", queue.unschedulable());
    set(pending, "queue", "gated", queue.gated());
    if (know_groups_)
        for (const char *of_groups : {"incomplete", "pending"}) set(pending, "queue", of_groups, 0);
    set(cache_size, "type", "nodes", cache.node_count());
    set(cache_size, "type", "pods", cache.pod_count());
    set(cache_size, "type", "assumed_pods", binding);
    set(goroutines, "operation", "binding", binding);
    std::map<std::pair<std::string, std::string>, std::size_t> rejected;
    queue.each([&](const queue::QueuedPod &pod) {
        for (const auto *instance : pod.unschedulable) ++rejected[{instance->name, pod.profile->scheduler_name}];
    });
    metrics_.clear_gauges(unschedulable_pods);
    for (const auto &[who, pods] : rejected)
        metrics_.gauge(unschedulable_pods, {{"plugin", who.first}, {"profile", who.second}})
            .set(static_cast<double>(pods));
}

void SchedulerMetrics::update(const Lease &lease) {
    // kube-scheduler's name for it, whatever the lease is called.
    const Metrics::Labels labels{{"name", "kube-scheduler"}};
    metrics_.gauge(master_status, labels).set(lease.leads ? 1 : 0);
    // As there: a counter that was never used is not shown.
    if (lease.slow_paths > 0) count(slow_paths, labels, lease.slow_paths);
}

void SchedulerMetrics::update(const EventWriter &events) {
    count(events_lost, {{"reason", "dropped"}}, events.dropped());
    count(events_lost, {{"reason", "refused"}}, events.refused());
    metrics_.gauge(events_waiting).set(static_cast<double>(events.waiting()));
}

void SchedulerMetrics::update_unreadable(const std::map<std::string, std::size_t> &objects) {
    for (const auto &[resource, n] : objects)
        metrics_.gauge(unreadable_objects, {{"resource", resource}}).set(static_cast<double>(n));
}

void SchedulerMetrics::update(const MemoryUse &memory) {
    for (const auto &kind : memory.kinds)
        metrics_.gauge(memory_bytes, {{"kind", std::string(kind.name)}}).set(static_cast<double>(kind.bytes));
    if (!memory.group) return;
    metrics_.gauge(memory_limit).set(static_cast<double>(memory.group->limit));
    metrics_.gauge(memory_used).set(static_cast<double>(memory.group->used));
}

void SchedulerMetrics::update(const model::ShadowCounts &shadow, bool paused) {
    for (std::size_t i = 0; i < model::agreements; ++i) {
        const auto agreement = static_cast<model::Agreement>(i);
        count(shadow_attempts, {{"result", std::string(model::agreement_name(agreement))}}, shadow.of(agreement));
    }
    const auto seconds = [](std::int64_t now, std::int64_t &before) {
        return static_cast<double>(now - std::exchange(before, now)) / second_ns;
    };
    metrics_.counter(shadow_seconds).add(seconds(shadow.shadow_ns, shadow_ns_));
    metrics_.counter(shadow_real_seconds).add(seconds(shadow.real_ns, real_ns_));
    metrics_.gauge(shadow_active).set(paused ? 0 : 1);
}

PluginList SchedulerMetrics::plugins() const {
    auto out = in_force_;
    auto whole = [](const Counter &counter) { return static_cast<std::uint64_t>(counter.value()); };
    for (const auto &[who, of] : plugins_) {
        const auto &[profile, plugin, point] = who;
        out.calls.push_back({profile, plugin, point, whole(of.calls), whole(of.slots), whole(of.rejections),
                             of.seconds.value(), of.latency});
    }
    return out;
}

std::string SchedulerMetrics::text() { return metrics_.text(); }

}  // namespace berth::report

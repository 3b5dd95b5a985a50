// SPDX-License-Identifier: Apache-2.0
// The service berth.host.metrics/draft1: the definition and use of a plugin's metrics.
#include "plugin/call_environment.h"
#include "plugin/fault.h"
#include "plugin/instance_metrics.h"
#include "plugin/least_size.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <berth/detail/metric.hpp>

#include <cmath>

namespace berth::plugin {
namespace {

MetricDefinition definition_of(const berth_metric &metric) {
    MetricDefinition out;
    out.name = text_of(metric.name);
    out.kind = metric.kind;
    out.most_series = detail::metric_series_limit(metric.most_series);
    out.help = text_of(metric.help);
    for (std::uint64_t i = 0; i < metric.labels_len; ++i) out.labels.emplace_back(text_of(metric.labels[i]));
    out.bounds.assign(metric.bounds, metric.bounds + metric.bounds_len);
    return out;
}

void say(const HostContext &context, env::Severity severity, const std::string &begin, std::string_view name,
         const std::string &why) {
    if (context.services.log)
        context.services.log->write(
            severity, 0, begin + " " + in_quotes(name) + " of plugin " + in_quotes(context.plugin) + ": " + why);
}

std::int32_t refuse(const HostContext &context, std::int32_t code, std::string_view name, const std::string &why) {
    say(context, env::Severity::Error, "Refused metric", name, why);
    return code;
}

std::int32_t define(const berth_host *host, const berth_metric *metric, std::uint32_t *id) {
    auto &context = *HostContext::of(host);
    if (!id) return BERTH_STATUS_INVALID;
    *id = 0;
    constexpr auto least = BERTH_END_OF(berth_metric, bounds_len);
    if (!metric) return refuse(context, BERTH_STATUS_INVALID, "", "there is none");
    if (auto code = context.can_read("berth_metric", *metric, least); code != 0) return code;
    const auto name = text_of(metric->name);
    if (context.made) return refuse(context, BERTH_STATUS_INVALID, name, "it was defined after create");
    if (!detail::is_metric_kind(metric->kind))
        return refuse(context, BERTH_STATUS_UNSUPPORTED, name,
                      "this host does not know its kind, " + std::to_string(metric->kind));
    if (auto why = detail::metric_fault(*metric); !why.empty()) return refuse(context, BERTH_STATUS_INVALID, name, why);
    const auto made = context.metrics->define(context.services.metrics, context.plugin, context.profile,
                                              context.keys.get(), definition_of(*metric));
    if (made.code != BERTH_STATUS_SUCCESS) return refuse(context, made.code, name, made.why);
    if (!made.why.empty()) say(context, env::Severity::Warning, "Metric", name, made.why);
    *id = made.id;
    return BERTH_STATUS_SUCCESS;
}

std::uint64_t id_of(const HostContext &context, const InstanceMetrics::Found &found) {
    if (const auto *full = found.first_overflow; full && context.services.log)
        context.services.log->write(env::Severity::Warning, 0,
                                    full->kind == BERTH_METRIC_GAUGE
                                        ? "A metric of a plugin has no room for another series; further ones are not "
                                          "exported"
                                        : "A metric of a plugin has no room for another series; further ones count as "
                                          "one",
                                    {{"plugin", context.plugin}, {"metric", full->name}});
    return found.id;
}

bool in_dry_run(const HostContext &context) { return context.services.calls && context.services.calls->in_dry_run(); }

std::uint64_t series(const berth_host *host, std::uint32_t metric, const berth_str *values, std::uint64_t n) {
    const auto &context = *HostContext::of(host);
    if (n > detail::most_metric_labels || (n > 0 && !values)) return 0;
    return id_of(context, context.metrics->series(metric, {values, static_cast<std::size_t>(n)}, in_dry_run(context)));
}

template <class Fn>
void record(const berth_host *host, std::uint64_t id, Fn &&fn) {
    const auto &context = *HostContext::of(host);
    if (!context.may_act() || context.metrics->record(id, fn)) return;
    id_of(context, context.metrics->enter(id));
    context.metrics->record(id, fn);
}
void add(const berth_host *host, std::uint64_t id, double n) {
    record(host, id, [n](MetricSeries &to) { to.add(n); });
}
void set(const berth_host *host, std::uint64_t id, double value) {
    record(host, id, [value](MetricSeries &to) { to.set(value); });
}
void observe(const berth_host *host, std::uint64_t id, double value) {
    record(host, id, [value](MetricSeries &to) { to.observe(value); });
}
void end(const berth_host *host, std::uint64_t id) {
    const auto &context = *HostContext::of(host);
    context.metrics->end(id, !context.may_act());
}

// Of the strict layer.

std::string called(const char *function) {
    return "called " + std::string(function) + " of " BERTH_HOST_METRICS_DRAFT1;
}

std::int32_t checked_define(const berth_host *host, const berth_metric *metric, std::uint32_t *id) {
    if (!strict_of(host).creating()) strict_of(host).violated(called("define") + " after create");
    return define(host, metric, id);
}

std::uint64_t checked_series(const berth_host *host, std::uint32_t metric, const berth_str *values, std::uint64_t n) {
    // A gang or a queue of a pod is a few; as many as nodes or pods are looked up again for each.
    constexpr std::uint64_t most_of_a_call = 1'000;
    if (metric == 0) return 0;  // what `define` stores of one that is not taken
    Strict &strict = strict_of(host);
    if (const auto labels = HostContext::of(host)->metrics->labels(metric); !labels)
        strict.violated(called("series") + " for metric " + std::to_string(metric) + ", which it never got");
    else if (*labels != n)
        strict.violated(called("series") + " with " + std::to_string(n) + " values for " + std::to_string(*labels) +
                        " labels");
    if (n <= detail::most_metric_labels) strict.check_texts(values, n);
    CallProxy *const proxy = strict.calls.innermost();
    if (proxy && proxy->count_series() == most_of_a_call + 1)
        strict.violated(called("series") + " more than 1,000 times in one call: keep what it returns");
    return series(host, metric, values, n);
}

/// Whether that is a series of the instance.
const MetricDefinition *check_series(const berth_host *host, const char *function, std::uint64_t id) {
    if (id == 0) return nullptr;  // `series` has been named
    const auto &metrics = *HostContext::of(host)->metrics;
    const auto known = metrics.known(id);
    if (known == InstanceMetrics::Known::Never || known == InstanceMetrics::Known::Ended)
        strict_of(host).violated(
            called(function) + " for series " + std::to_string(id) +
            (known == InstanceMetrics::Known::Ended ? ", which it has ended" : ", which it never got"));
    return metrics.definition_of(id);
}

/// Whether `n` may be recorded to that series, of one of two kinds.
void check_recorded(const berth_host *host, const char *function, std::uint64_t id, double n, std::uint32_t kind,
                    std::uint32_t or_kind) {
    const auto *of = check_series(host, function, id);
    if (!of) return;
    Strict &strict = strict_of(host);
    const auto about = " for " + in_quotes(of->name);
    if (of->kind != kind && of->kind != or_kind)
        strict.violated(called(function) + about + ", a metric of another kind");
    else if (!std::isfinite(n)) strict.violated(called(function) + about + " with a number that is not finite");
    else if (of->kind == BERTH_METRIC_COUNTER && n < 0)
        strict.violated(called(function) + about + ", a counter, with less than 0");
}
void checked_add(const berth_host *host, std::uint64_t id, double n) {
    check_recorded(host, "add", id, n, BERTH_METRIC_COUNTER, BERTH_METRIC_GAUGE);
    add(host, id, n);
}
void checked_set(const berth_host *host, std::uint64_t id, double value) {
    check_recorded(host, "set", id, value, BERTH_METRIC_GAUGE, BERTH_METRIC_GAUGE);
    set(host, id, value);
}
void checked_observe(const berth_host *host, std::uint64_t id, double value) {
    check_recorded(host, "observe", id, value, BERTH_METRIC_HISTOGRAM, BERTH_METRIC_HISTOGRAM);
    observe(host, id, value);
}

void checked_end(const berth_host *host, std::uint64_t id) {
    check_series(host, "end", id);
    end(host, id);
}

constexpr berth_host_metrics own_table{sizeof(berth_host_metrics), 0, define, series, add, set, observe, end};
constexpr berth_host_metrics checked_table{sizeof(berth_host_metrics),
                                           0,
                                           checked_define,
                                           checked_series,
                                           checked_add,
                                           checked_set,
                                           checked_observe,
                                           checked_end};

}  // namespace

constinit const ServiceTables metrics_tables{BERTH_HOST_METRICS_DRAFT1, &own_table, &checked_table,
                                             [](const Services &) { return true; }};

}  // namespace berth::plugin

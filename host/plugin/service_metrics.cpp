// SPDX-License-Identifier: Apache-2.0
// berth.host.metrics/draft1: what a plugin counts.
#include "plugin/fault.h"
#include "plugin/least_size.h"
#include "plugin/metrics.h"
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
    out.most_series = metric.most_series;
    out.help = text_of(metric.help);
    for (std::uint64_t i = 0; i < metric.labels_len; ++i) out.labels.emplace_back(text_of(metric.labels[i]));
    out.bounds.assign(metric.bounds, metric.bounds + metric.bounds_len);
    return out;
}

std::int32_t refuse(const HostContext &context, std::string_view name, std::string_view why) {
    if (context.services.log)
        context.services.log->write(
            env::Severity::Error, 0,
            "Refused metric " + in_quotes(name) + " of plugin " + in_quotes(context.plugin) + ": " + std::string(why));
    return BERTH_STATUS_INVALID;
}

std::int32_t define(const berth_host *host, const berth_metric *metric, std::uint32_t *id) {
    auto &context = *HostContext::of(host);
    if (!id) return BERTH_STATUS_INVALID;
    *id = 0;
    constexpr auto least = BERTH_END_OF(berth_metric, bounds_len);
    if (!metric) return refuse(context, "", "there is none");
    if (auto code = context.can_read("berth_metric", *metric, least); code != 0) return code;
    const auto name = text_of(metric->name);
    if (context.made) return refuse(context, name, "it was defined after create");
    if (auto why = detail::metric_fault(*metric); !why.empty()) return refuse(context, name, why);
    if (context.metrics->full()) {
        refuse(context, name, "the instance has 64 already");
        return BERTH_STATUS_NO_MEMORY;
    }
    const auto made =
        context.metrics->define(context.services.metrics, context.plugin, context.profile, definition_of(*metric));
    if (!made) return refuse(context, name, made.error().text);
    *id = *made;
    return BERTH_STATUS_SUCCESS;
}

std::uint32_t series(const berth_host *host, std::uint32_t metric, const berth_str *values, std::uint64_t n) {
    const auto &context = *HostContext::of(host);
    if (n > detail::most_metric_labels || (n > 0 && !values)) return 0;
    const auto found = context.metrics->series(metric, {values, static_cast<std::size_t>(n)});
    if (const auto *full = found.first_overflow; full && context.services.log)
        context.services.log->write(env::Severity::Warning, 0,
                                    "A metric of a plugin has no room for another series; further ones count as one",
                                    {{"plugin", context.plugin}, {"metric", full->definition.name}});
    return found.id;
}

/// The series to record to, or null.
MetricSeries *recorded(const berth_host *host, std::uint32_t id) {
    const auto &context = *HostContext::of(host);
    return context.may_act() ? context.metrics->find(id) : nullptr;
}
void add(const berth_host *host, std::uint32_t id, double n) {
    if (auto *to = recorded(host, id)) to->add(n);
}
void set(const berth_host *host, std::uint32_t id, double value) {
    if (auto *to = recorded(host, id)) to->set(value);
}
void observe(const berth_host *host, std::uint32_t id, double value) {
    if (auto *to = recorded(host, id)) to->observe(value);
}

// Of the strict layer.

std::string called(const char *function) {
    return "called " + std::string(function) + " of " BERTH_HOST_METRICS_DRAFT1;
}

std::int32_t checked_define(const berth_host *host, const berth_metric *metric, std::uint32_t *id) {
    if (!strict_of(host).creating()) strict_of(host).violated(called("define") + " after create");
    return define(host, metric, id);
}

std::uint32_t checked_series(const berth_host *host, std::uint32_t metric, const berth_str *values, std::uint64_t n) {
    Strict &strict = strict_of(host);
    const auto labels = HostContext::of(host)->metrics->labels(metric);
    if (labels == SIZE_MAX)
        strict.violated(called("series") + " for metric " + std::to_string(metric) + ", which it never got");
    else if (labels != n)
        strict.violated(called("series") + " with " + std::to_string(n) + " values for " + std::to_string(labels) +
                        " labels");
    strict.check_texts(values, n);
    return series(host, metric, values, n);
}

/// Whether `n` may be recorded to that series, of one of two kinds.
void check_recorded(const berth_host *host, const char *function, std::uint32_t id, double n, std::uint32_t kind,
                    std::uint32_t or_kind) {
    if (id == 0) return;  // `series` has been named
    Strict &strict = strict_of(host);
    const auto *to = HostContext::of(host)->metrics->find(id);
    if (!to) return strict.violated(called(function) + " for series " + std::to_string(id) + ", which it never got");
    const auto is = to->definition().kind;
    const auto about = " for " + in_quotes(to->definition().name);
    if (is != kind && is != or_kind) strict.violated(called(function) + about + ", a metric of another kind");
    else if (!std::isfinite(n)) strict.violated(called(function) + about + " with a number that is not finite");
    else if (is == BERTH_METRIC_COUNTER && n < 0)
        strict.violated(called(function) + about + ", a counter, with less than 0");
}
void checked_add(const berth_host *host, std::uint32_t id, double n) {
    check_recorded(host, "add", id, n, BERTH_METRIC_COUNTER, BERTH_METRIC_GAUGE);
    add(host, id, n);
}
void checked_set(const berth_host *host, std::uint32_t id, double value) {
    check_recorded(host, "set", id, value, BERTH_METRIC_GAUGE, BERTH_METRIC_GAUGE);
    set(host, id, value);
}
void checked_observe(const berth_host *host, std::uint32_t id, double value) {
    check_recorded(host, "observe", id, value, BERTH_METRIC_HISTOGRAM, BERTH_METRIC_HISTOGRAM);
    observe(host, id, value);
}

constexpr berth_host_metrics own_table{sizeof(berth_host_metrics), 0, define, series, add, set, observe};
constexpr berth_host_metrics checked_table{
    sizeof(berth_host_metrics), 0, checked_define, checked_series, checked_add, checked_set, checked_observe};

}  // namespace

constinit const ServiceTables metrics_tables{BERTH_HOST_METRICS_DRAFT1, &own_table, &checked_table,
                                             [](const Services &) { return true; }};

}  // namespace berth::plugin

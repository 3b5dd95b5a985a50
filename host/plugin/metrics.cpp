// SPDX-License-Identifier: Apache-2.0
#include "plugin/metrics.h"

#include "plugin/fault.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace berth::plugin {
namespace {

using Place = MetricSeries::Place;

/// Without passing the last finite number. Any thread.
void add_to(std::atomic<double> &to, double n) {
    double before = to.load(std::memory_order_relaxed);
    while (!to.compare_exchange_weak(before, detail::finite_sum(before, n), std::memory_order_relaxed)) {
    }
}

void append_line(std::string &out, std::string_view name, std::string_view end, const std::string &labels, double n) {
    out.append(name).append(end).append("{").append(labels).append("} ").append(detail::number_text(n)).append("\n");
}

void append_head(std::string &out, std::string_view name, std::string_view help, std::string_view type) {
    out.append("# HELP ").append(name).append(" ");
    for (char c : help) {
        if (c == '\\') out += '\\';
        out += c;
    }
    out.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

const char *name_of(std::uint32_t kind) {
    if (kind == BERTH_METRIC_COUNTER) return "counter";
    return kind == BERTH_METRIC_GAUGE ? "gauge" : "histogram";
}

std::string exported_name(const MetricDefinition &definition) { return "plugin_" + definition.name; }

std::string host_labels(const std::string &plugin, const std::string &profile) {
    std::string labels;
    detail::append_label(labels, "plugin", detail::label_value(plugin));
    detail::append_label(labels, "profile", detail::label_value(profile));
    return labels;
}

/// What the host counts of the metrics of a plugin in a profile.
struct Sums {
    std::size_t series = 0;
    std::string overflows;
};

}  // namespace

void MetricSeries::add(double n) {
    const bool counter = of_.kind == BERTH_METRIC_COUNTER && n >= 0;
    if (!std::isfinite(n) || !(counter || of_.kind == BERTH_METRIC_GAUGE)) return;
    add_to(numbers_[0], n);
    if (!set_.load(std::memory_order_relaxed)) set_.store(true, std::memory_order_relaxed);
}

void MetricSeries::set(double value) {
    if (!std::isfinite(value) || of_.kind != BERTH_METRIC_GAUGE) return;
    numbers_[0].store(value, std::memory_order_relaxed);
    set_.store(true, std::memory_order_relaxed);
}

void MetricSeries::observe(double value) {
    if (!std::isfinite(value) || of_.kind != BERTH_METRIC_HISTOGRAM) return;
    const auto at = std::ranges::lower_bound(of_.bounds, value) - of_.bounds.begin();
    numbers_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
    add_to(numbers_.back(), value);
}

bool MetricSeries::has_counted() const {
    return of_.kind != BERTH_METRIC_GAUGE &&
           std::ranges::any_of(numbers_, [](const auto &n) { return n.load(std::memory_order_relaxed) != 0; });
}

void MetricSeries::write(std::string &out, const std::string &host_labels) const {
    const auto name = exported_name(of_);
    const auto all = labels.empty() ? host_labels : host_labels + "," + labels;
    auto number = [&](std::size_t i) { return numbers_[i].load(std::memory_order_relaxed); };
    if (of_.kind != BERTH_METRIC_HISTOGRAM) {
        if (of_.kind == BERTH_METRIC_COUNTER || set_.load(std::memory_order_relaxed))
            append_line(out, name, "", all, number(0));
        return;
    }
    double count = 0;
    for (std::size_t i = 0; i <= of_.bounds.size(); ++i) {
        count += number(i);
        auto with_bound = all;
        detail::append_label(with_bound, "le", i < of_.bounds.size() ? detail::number_text(of_.bounds[i]) : "+Inf");
        append_line(out, name, "_bucket", with_bound, count);
    }
    append_line(out, name, "_sum", all, number(of_.bounds.size() + 1));
    append_line(out, name, "_count", all, count);
}

Metric::Metric(MetricDefinition defined)
    : definition(std::move(defined)),
      overflow(std::make_shared<MetricSeries>(definition, std::string(detail::overflow_labels), Place::Overflow)) {}

/// One without labels is always there.
bool Metric::fits(const std::string &labels, const Room &room) const {
    return definition.labels.empty() || (series_.size() < room.most_series && definition.numbers() <= room.numbers &&
                                         definition.text(labels) <= room.text);
}

/// By one user more.
void Metric::use(MetricSeries &series) {
    if (series.users++ == 0) --unused_;
    series.ended = false;
}

void Metric::remove(const MetricSeries &series) {
    if (series.users == 0) --unused_;
    numbers_ -= definition.numbers();
    text_ -= definition.text(series.labels);
    series_.erase(series.labels);
}

Metric::Found Metric::take(const std::string &labels, const Room &room) {
    std::scoped_lock lock(mutex_);
    auto found = series_.find(labels);
    if (found == series_.end()) {
        if (!fits(labels, room)) return {overflow, overflowed_++ == 0};
        auto made = std::make_shared<MetricSeries>(definition, labels, Place::Own);
        numbers_ += definition.numbers();
        text_ += definition.text(labels);
        ++unused_;
        const std::string_view key = made->labels;
        found = series_.emplace(key, std::move(made)).first;
    }
    use(*found->second);
    return {found->second, false};
}

SeriesPtr Metric::find(const std::string &labels) {
    std::scoped_lock lock(mutex_);
    const auto found = series_.find(labels);
    if (found == series_.end()) return nullptr;
    use(*found->second);
    return found->second;
}

void Metric::leave(MetricSeries &series) {
    std::scoped_lock lock(mutex_);
    if (series.place != Place::Own || --series.users > 0) return;
    ++unused_;
    if (series.ended) remove(series);
}

void Metric::end(MetricSeries &series) {
    std::scoped_lock lock(mutex_);
    if (series.place != Place::Own) return;
    series.ended = true;
    if (--series.users > 0) return;
    ++unused_;
    remove(series);
}

bool Metric::remove_unused() {
    std::scoped_lock lock(mutex_);
    if (unused_ == 0) return false;
    const auto found = std::ranges::find_if(series_, [](const auto &one) { return one.second->users == 0; });
    const auto series = found->second;
    remove(*series);
    return true;
}

bool Metric::is_full(const Room &room) const {
    std::scoped_lock lock(mutex_);
    return series_.size() >= room.most_series;
}

std::uint64_t Metric::overflowed() const {
    std::scoped_lock lock(mutex_);
    return overflowed_;
}

std::vector<SeriesPtr> Metric::exported() const {
    std::scoped_lock lock(mutex_);
    std::vector<SeriesPtr> out;
    out.reserve(series_.size() + 1);
    for (const auto &[labels, series] : series_) out.push_back(series);
    // A number that several set means nothing.
    if ((overflowed_ > 0 && definition.kind != BERTH_METRIC_GAUGE) || overflow->has_counted()) out.push_back(overflow);
    return out;
}

model::Result<PluginMetrics::Defined> PluginMetrics::define(const std::string &plugin, const std::string &profile,
                                                            const void *build, MetricDefinition definition) {
    std::scoped_lock lock(mutex_);
    for (auto &[family, all] : metrics_) std::erase_if(all, [](const auto &one) { return one.expired(); });
    std::erase_if(metrics_, [](const auto &one) { return one.second.empty(); });
    auto &of_family = metrics_[std::string(detail::metric_family(definition.name))];
    std::shared_ptr<Metric> numbers;
    std::string warning;
    for (const auto &one : of_family) {
        const auto other = one.lock();
        if (!other) continue;
        const bool same_plugin = other->plugin == plugin, same_profile = other->profile == profile;
        if (other->build == build && other->definition.kind != definition.kind && !(same_plugin && same_profile)) {
            const auto theirs = "a " + std::string(name_of(other->definition.kind)) + " " +
                                in_quotes(other->definition.name) + " of plugin " + in_quotes(other->plugin) +
                                " in profile " + in_quotes(other->profile);
            if (!same_plugin)
                return model::Error{"there is " + theirs + "; begin the name with the plugin's. It counts nothing"};
            warning = "it is a " + std::string(name_of(definition.kind)) + " in profile " + in_quotes(profile) +
                      ", and there is " + theirs + "; only one of them is exported";
        }
        if (same_plugin && same_profile && definition.kind != BERTH_METRIC_GAUGE &&
            other->definition.counts_as(definition))
            numbers = other->metric;
    }
    if (!numbers) numbers = std::make_shared<Metric>(definition);
    auto made = std::make_shared<DefinedMetric>(plugin, profile, std::move(definition), std::move(numbers), build);
    of_family.push_back(made);
    return Defined{std::move(made), std::move(warning)};
}

void PluginMetrics::put_in_force(const std::shared_ptr<DefinedMetric> &metric) {
    std::scoped_lock lock(mutex_);
    const auto family = metrics_.find(detail::metric_family(metric->definition.name));
    if (metric->in_force || family == metrics_.end()) return;
    metric->in_force = true;
    // To the end, where it is the newest.
    std::erase_if(family->second, [&](const auto &one) { return one.lock() == metric; });
    family->second.push_back(metric);
}

std::string PluginMetrics::text() const {
    // The lock is not held while the text is made: plugins wait for it.
    std::vector<std::shared_ptr<DefinedMetric>> shown;
    {
        std::scoped_lock lock(mutex_);
        for (const auto &[family, all] : metrics_) {
            std::set<std::pair<std::string, std::string>> seen;
            std::optional<std::uint32_t> kind;
            for (auto at = all.rbegin(); at != all.rend(); ++at) {
                auto metric = at->lock();
                if (!metric || !metric->in_force || !seen.emplace(metric->plugin, metric->profile).second) continue;
                if (!kind) kind = metric->definition.kind;
                if (*kind == metric->definition.kind) shown.push_back(std::move(metric));
            }
        }
    }
    std::string out;
    std::map<std::string, Sums> sums;
    std::string_view last;
    for (const auto &one : shown) {
        const auto name = exported_name(one->definition);
        const auto labels = host_labels(one->plugin, one->profile);
        if (one->definition.name != last) append_head(out, name, one->definition.help, name_of(one->definition.kind));
        last = one->definition.name;
        const auto exported = one->metric->exported();
        for (const auto &series : exported) series->write(out, labels);
        auto &sum = sums[labels];
        sum.series += exported.size();
        if (const auto n = one->metric->overflowed(); n > 0) {
            auto with_name = labels;
            detail::append_label(with_name, "metric", name);
            append_line(sum.overflows, "berth_plugin_metric_overflows_total", "", with_name, static_cast<double>(n));
        }
    }
    if (sums.empty()) return out;
    append_head(out, "berth_plugin_metric_series", "Series of metrics that plugins have defined.", "gauge");
    std::string overflows;
    for (const auto &[labels, sum] : sums) {
        append_line(out, "berth_plugin_metric_series", "", labels, static_cast<double>(sum.series));
        overflows += sum.overflows;
    }
    if (!overflows.empty())
        append_head(out, "berth_plugin_metric_overflows_total",
                    "Look-ups of a series that a metric of a plugin had no room for.", "counter");
    return out + overflows;
}

}  // namespace berth::plugin

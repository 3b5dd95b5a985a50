// SPDX-License-Identifier: Apache-2.0
#include "plugin/metrics.h"

#include "decode/json_text.h"
#include "plugin/fault.h"

#include <berth/detail/metric.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

namespace berth::plugin {
namespace {

/// Of all metrics of an instance.
constexpr std::size_t most_numbers = 10'000;

std::string number_text(double n) {
    if (std::isinf(n)) return n > 0 ? "+Inf" : "-Inf";
    constexpr std::size_t longest = 32;
    std::array<char, longest> text{};
    return {text.data(), std::to_chars(text.begin(), text.end(), n).ptr};
}

/// As Prometheus' text format has it. What is no UTF-8 becomes U+FFFD.
void append_escaped(std::string &out, std::string_view text, bool quotes) {
    auto append = [&](std::string_view part) {
        for (char c : part) {
            if (c == '\n') out += "\\n";
            else if (c == '\\' || (quotes && c == '"')) (out += '\\') += c;
            else out += c;
        }
    };
    while (auto bad = decode::find_bad_utf8(text)) {
        append(text.substr(0, *bad));
        out += "\uFFFD";
        text.remove_prefix(*bad + 1);
    }
    append(text);
}

void append_label(std::string &labels, std::string_view name, std::string_view value) {
    if (!labels.empty()) labels += ',';
    labels.append(name).append("=\"");
    append_escaped(labels, value, true);
    labels += '"';
}

void append_line(std::string &out, std::string_view name, std::string_view end, const std::string &labels, double n) {
    out.append(name).append(end).append("{").append(labels).append("} ").append(number_text(n)).append("\n");
}

void append_head(std::string &out, std::string_view name, std::string_view help, std::string_view type) {
    out.append("# HELP ").append(name).append(" ");
    append_escaped(out, help, false);
    out.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

const char *type_of(std::uint32_t kind) {
    if (kind == BERTH_METRIC_COUNTER) return "counter";
    return kind == BERTH_METRIC_GAUGE ? "gauge" : "histogram";
}

std::string exported(const MetricDefinition &definition) { return "plugin_" + definition.name; }

std::string labels_of(const Metric &metric) {
    std::string labels;
    append_label(labels, "plugin", metric.plugin);
    append_label(labels, "profile", metric.profile);
    return labels;
}

}  // namespace

void MetricSeries::add(double n) {
    const bool counter = of_.kind == BERTH_METRIC_COUNTER && n >= 0;
    if (!std::isfinite(n) || !(counter || of_.kind == BERTH_METRIC_GAUGE)) return;
    numbers_[0].fetch_add(n, std::memory_order_relaxed);
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
    numbers_.back().fetch_add(value, std::memory_order_relaxed);
}

void MetricSeries::write(std::string &out, const std::string &labels) const {
    const auto name = exported(of_);
    auto number = [&](std::size_t i) { return numbers_[i].load(std::memory_order_relaxed); };
    if (of_.kind != BERTH_METRIC_HISTOGRAM) {
        if (of_.kind == BERTH_METRIC_COUNTER || set_.load(std::memory_order_relaxed))
            append_line(out, name, "", labels, number(0));
        return;
    }
    double count = 0;
    for (std::size_t i = 0; i <= of_.bounds.size(); ++i) {
        count += number(i);
        auto with_bound = labels;
        append_label(with_bound, "le", i < of_.bounds.size() ? number_text(of_.bounds[i]) : "+Inf");
        append_line(out, name, "_bucket", with_bound, count);
    }
    append_line(out, name, "_sum", labels, number(of_.bounds.size() + 1));
    append_line(out, name, "_count", labels, count);
}

Metric::Found Metric::series(const Values &values, std::size_t room) {
    std::scoped_lock lock(mutex_);
    if (auto found = series_.find(values); found != series_.end()) return {found->second.get(), false};
    const auto most = definition.most_series ? definition.most_series : detail::usual_metric_series;
    if (series_.size() < most && definition.numbers() <= room) {
        numbers_ += definition.numbers();
        return {series_.emplace(values, std::make_unique<MetricSeries>(definition)).first->second.get(), false};
    }
    if (!overflow_) overflow_ = std::make_unique<MetricSeries>(definition);
    return {overflow_.get(), overflowed_++ == 0};
}

std::size_t Metric::series_count() const {
    std::scoped_lock lock(mutex_);
    return series_.size() + (overflow_ ? 1 : 0);
}

std::uint64_t Metric::overflowed() const {
    std::scoped_lock lock(mutex_);
    return overflowed_;
}

void Metric::write(std::string &out) const {
    std::scoped_lock lock(mutex_);
    for (const auto &[values, series] : series_) {
        auto labels = labels_of(*this);
        for (std::size_t i = 0; i < values.size(); ++i) append_label(labels, definition.labels[i], values[i]);
        series->write(out, labels);
    }
    if (!overflow_) return;
    auto labels = labels_of(*this);
    append_label(labels, "overflow", "true");
    overflow_->write(out, labels);
}

model::Result<std::shared_ptr<Metric>> PluginMetrics::define(const std::string &plugin, const std::string &profile,
                                                             MetricDefinition definition) {
    std::scoped_lock lock(mutex_);
    for (auto &[name, of_name] : metrics_) std::erase_if(of_name, [](const auto &one) { return one.expired(); });
    std::erase_if(metrics_, [](const auto &one) { return one.second.empty(); });
    auto &of_name = metrics_[definition.name];
    std::shared_ptr<Metric> same;
    for (const auto &one : of_name) {
        const auto metric = one.lock();
        if (!metric) continue;
        if (metric->plugin != plugin && !metric->definition.fits(definition))
            return model::Error{"plugin " + in_quotes(metric->plugin) +
                                " has one of that name and of another kind, with other labels or other bounds; begin "
                                "the name with the plugin's"};
        if (metric->plugin == plugin && metric->profile == profile && metric->definition == definition) same = metric;
    }
    if (!same || definition.kind == BERTH_METRIC_GAUGE)
        same = std::make_shared<Metric>(plugin, profile, std::move(definition));
    // To the end, where it is the newest.
    std::erase_if(of_name, [&](const auto &one) { return one.lock() == same; });
    of_name.push_back(same);
    return same;
}

std::string PluginMetrics::text() const {
    std::string out;
    std::map<std::pair<std::string, std::string>, std::size_t> series;
    std::string overflows;
    std::scoped_lock lock(mutex_);
    for (const auto &[name, of_name] : metrics_) {
        std::shared_ptr<Metric> newest;
        std::set<std::pair<std::string, std::string>> seen;
        for (auto at = of_name.rbegin(); at != of_name.rend(); ++at) {
            const auto metric = at->lock();
            if (!metric || !seen.emplace(metric->plugin, metric->profile).second) continue;
            series[{metric->plugin, metric->profile}] += metric->series_count();
            if (const auto n = metric->overflowed(); n > 0) {
                auto labels = labels_of(*metric);
                append_label(labels, "metric", exported(metric->definition));
                append_line(overflows, "berth_plugin_metric_overflows_total", "", labels, static_cast<double>(n));
            }
            if (newest && newest->definition.kind != metric->definition.kind) continue;
            if (!newest) {
                newest = metric;
                append_head(out, exported(metric->definition), metric->definition.help,
                            type_of(metric->definition.kind));
            }
            metric->write(out);
        }
    }
    if (!series.empty())
        append_head(out, "berth_plugin_metric_series", "Series of metrics that plugins have defined.", "gauge");
    for (const auto &[of, n] : series) {
        std::string labels;
        append_label(labels, "plugin", of.first);
        append_label(labels, "profile", of.second);
        append_line(out, "berth_plugin_metric_series", "", labels, static_cast<double>(n));
    }
    if (!overflows.empty())
        append_head(out, "berth_plugin_metric_overflows_total",
                    "Look-ups of a series that a metric of a plugin had no room for.", "counter");
    return out + overflows;
}

model::Result<std::uint32_t> InstanceMetrics::define(PluginMetrics *metrics, const std::string &plugin,
                                                     const std::string &profile, MetricDefinition definition) {
    std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < defined_.size(); ++i) {
        const auto &other = defined_[i].metric->definition;
        if (other.name != definition.name) continue;
        if (other == definition) return static_cast<std::uint32_t>(i + 1);
        return model::Error{"this instance has another one of that name"};
    }
    auto made = metrics ? metrics->define(plugin, profile, std::move(definition))
                        : std::make_shared<Metric>(plugin, profile, std::move(definition));
    if (!made) return made.error();
    defined_.push_back({*std::move(made), {}});
    return static_cast<std::uint32_t>(defined_.size());
}

bool InstanceMetrics::full() const {
    std::scoped_lock lock(mutex_);
    return defined_.size() >= detail::most_metrics;
}

InstanceMetrics::Found InstanceMetrics::series(std::uint32_t metric, std::span<const berth_str> values) {
    std::scoped_lock lock(mutex_);
    if (metric == 0 || metric > defined_.size()) return {};
    auto &defined = defined_[metric - 1];
    if (values.size() != defined.metric->definition.labels.size()) return {};
    std::vector<std::string> texts;
    for (const auto &value : values) texts.emplace_back(detail::cut_text(text_of(value), detail::longest_label_value));
    std::size_t numbers = 0;
    for (const auto &one : defined_) numbers += one.metric->numbers();
    const auto [series, first_overflow] = defined.metric->series(texts, most_numbers - std::min(numbers, most_numbers));
    auto [at, is_new] = defined.ids.try_emplace(series, last_ + 1);
    if (is_new) {
        const std::size_t index = last_++;
        auto &chunk = chunks_.at(index / chunk_size);
        if (!chunk.load(std::memory_order_relaxed))
            chunk.store(owned_.emplace_back(std::make_unique<Chunk>()).get(), std::memory_order_release);
        (*chunk.load(std::memory_order_relaxed))[index % chunk_size].store(series, std::memory_order_release);
    }
    return {at->second, first_overflow ? defined.metric.get() : nullptr};
}

std::size_t InstanceMetrics::labels(std::uint32_t metric) const {
    std::scoped_lock lock(mutex_);
    return metric == 0 || metric > defined_.size() ? SIZE_MAX : defined_[metric - 1].metric->definition.labels.size();
}

MetricSeries *InstanceMetrics::find(std::uint32_t id) const {
    if (id == 0 || id > chunk_size * most_chunks) return nullptr;
    const std::size_t index = id - 1;
    const auto *chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
    return chunk ? (*chunk)[index % chunk_size].load(std::memory_order_acquire) : nullptr;
}

}  // namespace berth::plugin

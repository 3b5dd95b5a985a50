// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin's metrics in a test, in the form of a host's export.

#include <berth/detail/metric.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::testing {

/// The metrics of one instance. Their numbers are in a map of the caller's, which outlives this: under the name of the
/// metric and its labels, as `gang_waiting{group="a"}`; of a histogram those of `…_sum`, `…_count` and, with the label
/// `le`, `…_bucket`.
class Metrics {
    struct Metric {
        std::string name, help;
        std::uint32_t kind, most_series;
        std::vector<std::string> labels;
        std::vector<double> bounds;
        bool operator==(const Metric &) const = default;
        std::size_t numbers() const { return berth::detail::metric_numbers(kind, bounds.size()); }
        std::size_t text(const std::string &of_series) const {
            return berth::detail::metric_text_size(kind, bounds.size(), of_series.size());
        }
    };
    struct Series {
        std::size_t metric;  ///< of metrics_
        std::string labels;  ///< `group="a"`, with commas between them
        bool ended = false;
        bool operator==(const Series &) const = default;
        bool is_overflow() const { return labels == berth::detail::overflow_labels; }
    };
    std::map<std::string, double> &numbers_;
    std::vector<Metric> metrics_;
    std::vector<Series> series_;

    /// The index, from 1, of what is kept; it is added if it is new.
    template <class T>
    static std::uint32_t id_of(std::vector<T> &all, T one) {
        const auto found = std::ranges::find(all, one);
        const auto index = found - all.begin();
        if (found == all.end()) all.push_back(std::move(one));
        return static_cast<std::uint32_t>(index) + 1;
    }
    static std::string key(const Metric &metric, std::string_view end, const std::string &labels) {
        const auto name = metric.name + std::string(end);
        return labels.empty() ? name : name + "{" + labels + "}";
    }
    /// Calls fn(bound, key) for each bound of a histogram's series, the last of which is infinite.
    template <class Fn>
    static void each_bucket(const Metric &metric, const std::string &labels, Fn &&fn) {
        auto bounds = metric.bounds;
        bounds.push_back(std::numeric_limits<double>::infinity());
        for (const double bound : bounds) {
            auto with_bound = labels;
            berth::detail::append_label(with_bound, "le", berth::detail::number_text(bound));
            fn(bound, key(metric, "_bucket", with_bound));
        }
    }
    /// Whether another series of that metric is kept apart.
    bool has_room(std::size_t metric, const std::string &labels) const {
        const auto &wanted = metrics_[metric];
        if (wanted.labels.empty()) return true;
        std::size_t numbers = wanted.numbers(), bytes = wanted.text(labels), of_metric = 0;
        for (const auto &one : series_) {
            if (one.ended || one.is_overflow()) continue;
            numbers += metrics_[one.metric].numbers();
            bytes += metrics_[one.metric].text(one.labels);
            of_metric += one.metric == metric;
        }
        return of_metric < wanted.most_series && numbers <= berth::detail::most_metric_numbers &&
               bytes <= berth::detail::most_metric_text;
    }
    /// The series that the number `n` is for, if it is of one of these kinds; else null.
    const Series *find(std::uint64_t id, std::initializer_list<std::uint32_t> kinds, double n) const {
        if (id == 0 || id > series_.size() || !std::isfinite(n)) return nullptr;
        const auto &series = series_[id - 1];
        const auto kind = metrics_[series.metric].kind;
        if (series.ended || std::ranges::find(kinds, kind) == kinds.end()) return nullptr;
        // The host exports no gauge beyond the limit.
        return kind == BERTH_METRIC_GAUGE && series.is_overflow() ? nullptr : &series;
    }
    double &number(const Series &series, std::string_view end = "") {
        return numbers_[key(metrics_[series.metric], end, series.labels)];
    }
    std::pair<std::int32_t, std::string> refusal(const berth_metric &metric, const Metric &made) const {
        if (!berth::detail::is_metric_kind(metric.kind))
            return {BERTH_STATUS_UNSUPPORTED, "its kind is " + std::to_string(metric.kind) + ", which is unknown"};
        if (auto fault = berth::detail::metric_fault(metric); !fault.empty()) return {BERTH_STATUS_INVALID, fault};
        for (const auto &other : metrics_) {
            if (other == made) return {BERTH_STATUS_SUCCESS, {}};
            if (berth::detail::metric_family(other.name) == berth::detail::metric_family(made.name))
                return {BERTH_STATUS_INVALID, "this instance has " + other.name + " already"};
        }
        if (metrics_.size() < berth::detail::most_metrics) return {BERTH_STATUS_SUCCESS, {}};
        return {BERTH_STATUS_LIMIT_EXCEEDED, "the instance has 64 already"};
    }

public:
    explicit Metrics(std::map<std::string, double> &numbers) : numbers_(numbers) {}

    struct Defined {
        std::int32_t code;
        std::uint32_t id = 0;
        std::string error{};  ///< if it is refused
    };
    Defined define(const berth_metric &metric) {
        const auto given = [](const auto *at, std::uint64_t n, std::uint64_t most) {
            return std::span(at, at ? static_cast<std::size_t>(std::min(n, most)) : 0);
        };
        Metric made{std::string(berth::detail::text_or_none(metric.name)),
                    std::string(berth::detail::text_or_none(metric.help)),
                    metric.kind,
                    berth::detail::metric_series_limit(metric.most_series),
                    {},
                    {}};
        for (const auto &label : given(metric.labels, metric.labels_len, berth::detail::most_metric_labels))
            made.labels.emplace_back(berth::detail::text_or_none(label));
        for (const double bound : given(metric.bounds, metric.bounds_len, berth::detail::most_metric_bounds))
            made.bounds.push_back(bound);
        const auto [code, why] = refusal(metric, made);
        if (code != BERTH_STATUS_SUCCESS) return {code, 0, "metric " + made.name + ": " + why};
        return {code, id_of(metrics_, std::move(made))};
    }
    std::uint64_t series(std::uint32_t metric, std::span<const berth_str> values) {
        if (metric == 0 || metric > metrics_.size() || values.size() != metrics_[metric - 1].labels.size()) return 0;
        Series made{metric - 1, berth::detail::labels_text(metrics_[metric - 1].labels, values)};
        if (std::ranges::find(series_, made) == series_.end() && !has_room(metric - 1, made.labels))
            made.labels = berth::detail::overflow_labels;
        return id_of(series_, std::move(made));
    }
    void add(std::uint64_t id, double n) {
        if (n < 0 && find(id, {BERTH_METRIC_COUNTER}, n)) return;
        const auto *series = find(id, {BERTH_METRIC_COUNTER, BERTH_METRIC_GAUGE}, n);
        if (!series) return;
        auto &to = number(*series);
        to = berth::detail::finite_sum(to, n);
    }
    void set(std::uint64_t id, double value) {
        if (const auto *series = find(id, {BERTH_METRIC_GAUGE}, value)) number(*series) = value;
    }
    void observe(std::uint64_t id, double value) {
        const auto *series = find(id, {BERTH_METRIC_HISTOGRAM}, value);
        if (!series) return;
        auto &sum = number(*series, "_sum");
        sum = berth::detail::finite_sum(sum, value);
        ++number(*series, "_count");
        each_bucket(metrics_[series->metric], series->labels, [&](double bound, const std::string &bucket) {
            if (auto &count = numbers_[bucket]; value <= bound) ++count;
        });
    }
    void end(std::uint64_t id) {
        if (id == 0 || id > series_.size()) return;
        auto &series = series_[id - 1];
        if (series.ended || series.is_overflow()) return;
        const auto &metric = metrics_[series.metric];
        for (std::string_view end : {"", "_sum", "_count"}) numbers_.erase(key(metric, end, series.labels));
        each_bucket(metric, series.labels, [&](double, const std::string &bucket) { numbers_.erase(bucket); });
        series.ended = true;
    }
};

}  // namespace berth::testing

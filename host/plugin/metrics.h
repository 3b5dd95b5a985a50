// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What plugins count: the metrics behind berth.host.metrics/draft1. Each is bounded, whoever chooses its labels.

#include "model/result.h"

#include <berth/draft/metrics.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin {

struct MetricDefinition {
    std::string name;
    std::uint32_t kind = 0, most_series = 0;
    std::string help;
    std::vector<std::string> labels;
    std::vector<double> bounds;

    bool operator==(const MetricDefinition &) const = default;
    /// Whether they may be exported under one name.
    bool fits(const MetricDefinition &other) const {
        return kind == other.kind && labels == other.labels && bounds == other.bounds;
    }
    /// How many numbers a series has: of a histogram those up to each bound, those beyond, and the sum.
    std::size_t numbers() const { return kind == BERTH_METRIC_HISTOGRAM ? bounds.size() + 2 : 1; }
};

/// The numbers of one combination of label values. Any thread, without a lock.
class MetricSeries {
    const MetricDefinition &of_;
    std::vector<std::atomic<double>> numbers_;
    std::atomic<bool> set_{false};

public:
    explicit MetricSeries(const MetricDefinition &definition) : of_(definition), numbers_(definition.numbers()) {}
    const MetricDefinition &definition() const { return of_; }
    // They do nothing for a number that is not finite, and for another kind.
    void add(double n);
    void set(double value);
    void observe(double value);
    /// Appends the lines of a scrape; `labels` are written out.
    void write(std::string &out, const std::string &labels) const;
};

/// One metric of a plugin in a profile; shared by the instances that count in it.
class Metric {
    using Values = std::vector<std::string>;
    mutable std::mutex mutex_;
    std::map<Values, std::unique_ptr<MetricSeries>> series_;
    std::unique_ptr<MetricSeries> overflow_;  ///< what is beyond the limit, all as one
    std::uint64_t overflowed_ = 0;
    std::atomic<std::size_t> numbers_{0};

public:
    const std::string plugin, profile;
    const MetricDefinition definition;

    Metric(std::string of_plugin, std::string of_profile, MetricDefinition defined)
        : plugin(std::move(of_plugin)), profile(std::move(of_profile)), definition(std::move(defined)) {}
    struct Found {
        MetricSeries *series;
        bool first_overflow;
    };
    /// As long as this. With `room` for fewer numbers than a new one has, it is the one for all the others.
    Found series(const Values &values, std::size_t room);
    std::size_t numbers() const { return numbers_; }
    std::size_t series_count() const;
    std::uint64_t overflowed() const;
    void write(std::string &out) const;
};

/// The metrics of all instances. Any thread.
class PluginMetrics {
    mutable std::mutex mutex_;
    /// By name, in the order in which they were defined; those that no instance has any more go away.
    std::map<std::string, std::vector<std::weak_ptr<Metric>>, std::less<>> metrics_;

public:
    /// The metric of that definition: that of an earlier instance if there is one, but for gauges, which begin anew. An
    /// error if another plugin's does not fit it.
    model::Result<std::shared_ptr<Metric>> define(const std::string &plugin, const std::string &profile,
                                                  MetricDefinition definition);
    /// What a scrape gets. Of the definitions that a plugin in a profile has of one name, the newest.
    std::string text() const;
};

/// Those of one instance, by the ids that it knows.
class InstanceMetrics {
    static constexpr std::size_t chunk_size = 256, most_chunks = 128;
    using Chunk = std::array<std::atomic<MetricSeries *>, chunk_size>;
    struct Defined {
        std::shared_ptr<Metric> metric;
        std::map<const MetricSeries *, std::uint32_t> ids;
    };
    mutable std::mutex mutex_;
    std::vector<Defined> defined_;
    std::array<std::atomic<Chunk *>, most_chunks> chunks_{};
    std::vector<std::unique_ptr<Chunk>> owned_;
    std::uint32_t last_ = 0;

public:
    /// Its id. `metrics` may be null: then it is counted for nobody.
    model::Result<std::uint32_t> define(PluginMetrics *metrics, const std::string &plugin, const std::string &profile,
                                        MetricDefinition definition);
    bool full() const;
    struct Found {
        std::uint32_t id = 0;  ///< 0: no such metric, or another number of values
        const Metric *first_overflow = nullptr;
    };
    Found series(std::uint32_t metric, std::span<const berth_str> values);
    std::size_t labels(std::uint32_t metric) const;  ///< SIZE_MAX: there is no such metric
    /// Null for an id that it never got. Without a lock.
    MetricSeries *find(std::uint32_t id) const;
};

}  // namespace berth::plugin

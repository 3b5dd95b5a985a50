// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The metrics that plugins define (berth.host.metrics/draft1). Each is bounded, even if a tenant chooses the values of
/// its labels.

#include "model/result.h"

#include <berth/detail/metric.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::plugin {

struct MetricDefinition {
    std::string name;
    std::uint32_t kind = 0;
    std::vector<std::string> labels;
    std::vector<double> bounds;
    std::string help;
    std::uint32_t most_series = 0;  ///< never 0 nor more than the limit

    bool operator==(const MetricDefinition &) const = default;
    /// Whether the numbers of the one can go on as those of the other.
    bool counts_as(const MetricDefinition &other) const {
        return name == other.name && kind == other.kind && labels == other.labels && bounds == other.bounds;
    }
    std::size_t numbers() const { return detail::metric_numbers(kind, bounds.size()); }
    std::size_t text(const std::string &labels_of_series) const {
        return detail::metric_text_size(kind, bounds.size(), labels_of_series.size());
    }
};

/// The numbers of one combination of label values. Any thread, without a lock.
class MetricSeries {
    const MetricDefinition &of_;
    std::vector<std::atomic<double>> numbers_;
    std::atomic<bool> set_{false};

public:
    enum class Place : std::uint8_t {
        Own,       ///< in its metric
        Overflow,  ///< for all that have no place
        Waiting,   ///< a dry run asked for it: it takes a place when something is counted in it
    };
    const std::string labels;  ///< as a scrape has them, without the host's
    const Place place;
    // Under the lock of its Metric.
    std::size_t users = 0;  ///< ids that instances have of it
    bool ended = false;     ///< an instance has ended it, and none has looked it up since

    MetricSeries(const MetricDefinition &definition, std::string with_labels, Place in)
        : of_(definition), numbers_(definition.numbers()), labels(std::move(with_labels)), place(in) {}
    const MetricDefinition &definition() const { return of_; }
    // They do nothing for a number that is not finite, and for another kind.
    void add(double n);
    void set(double value);
    void observe(double value);
    /// Whether a counter or histogram has more than nothing.
    bool has_counted() const;
    /// Appends the lines of a scrape; `host_labels` are written out.
    void write(std::string &out, const std::string &host_labels) const;
};
using SeriesPtr = std::shared_ptr<MetricSeries>;

/// The numbers of one metric of a plugin in a profile; shared by the instances that count in it. Any thread.
class Metric {
    mutable std::mutex mutex_;
    std::map<std::string_view, SeriesPtr> series_;  ///< by their labels
    std::uint64_t overflowed_ = 0;
    std::size_t unused_ = 0;  ///< series without users
    std::atomic<std::size_t> numbers_{0}, text_{0};

public:
    /// What an instance may still take.
    struct Room {
        std::uint32_t most_series = 0;  ///< of this metric
        std::size_t numbers = 0, text = 0;
    };
    const MetricDefinition definition;  ///< its help and most_series are those of the first instance
    const SeriesPtr overflow;

    explicit Metric(MetricDefinition defined);
    struct Found {
        SeriesPtr series;
        bool first_overflow = false;
    };
    /// For one user more. Where there is no room for a new one, it is `overflow`.
    Found take(const std::string &labels, const Room &room);
    /// The same of what is there already; null if there is none.
    SeriesPtr find(const std::string &labels);
    bool has_room(const std::string &labels, const Room &room) const {
        std::scoped_lock lock(mutex_);
        return fits(labels, room);
    }
    /// One user less. After leave() the numbers stay for other instances, and for one that comes, unless a user has
    /// ended the series; after the last end() they go.
    void leave(MetricSeries &series);
    void end(MetricSeries &series);
    /// Removes a series without users. Whether there was one.
    bool remove_unused();
    bool is_full(const Room &room) const;  ///< it has as many series as it may

    std::size_t numbers() const { return numbers_; }
    std::size_t text() const { return text_; }  ///< bytes of labels in a scrape
    std::uint64_t overflowed() const;
    /// What is exported, in the order of the labels.
    std::vector<SeriesPtr> exported() const;

private:
    bool fits(const std::string &labels, const Room &room) const;
    void use(MetricSeries &series);
    void remove(const MetricSeries &series);
};

/// A metric as an instance has defined it.
struct DefinedMetric {
    const std::string plugin, profile;
    const MetricDefinition definition;
    const std::shared_ptr<Metric> metric;
    const void *const build;  ///< the same for all instances that are made together
    bool in_force = false;    ///< under the lock of PluginMetrics
};

/// The metrics of all instances. Any thread.
class PluginMetrics {
    mutable std::mutex mutex_;
    /// By family, in the order in which they came into force; those that no instance has any more go away.
    std::map<std::string, std::vector<std::weak_ptr<DefinedMetric>>, std::less<>> metrics_;

public:
    struct Defined {
        std::shared_ptr<DefinedMetric> metric;
        std::string warning;
    };
    /// It goes on with the numbers of an earlier instance if that has such a metric, but for gauges, which begin anew.
    /// An error if another plugin, of the same build, has one of that name and another kind.
    model::Result<Defined> define(const std::string &plugin, const std::string &profile, const void *build,
                                  MetricDefinition definition);
    /// From now on it is exported, in the place of what the plugin had of that name in this profile.
    void put_in_force(const std::shared_ptr<DefinedMetric> &metric);
    /// What a scrape gets.
    std::string text() const;
};

}  // namespace berth::plugin

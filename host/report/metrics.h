// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Prometheus metrics: counters, gauges, histograms, and their text format.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace berth::report {

/// A number that grows, one that is set, and the distribution of one. Cheap to copy and to use, from any thread; they
/// live as long as their Metrics. One without a Metrics counts nothing.
class Counter {
    void *counter_ = nullptr;

public:
    Counter() = default;
    explicit Counter(void *counter) : counter_(counter) {}
    void add(double n = 1) const;
    double value() const;
};
class Gauge {
    void *gauge_ = nullptr;

public:
    Gauge() = default;
    explicit Gauge(void *gauge) : gauge_(gauge) {}
    void set(double n) const;
};
class Histogram {
    void *histogram_ = nullptr;

public:
    Histogram() = default;
    explicit Histogram(void *histogram) : histogram_(histogram) {}
    void observe(double n) const;
};

/// A metric as it is registered: its name and what HELP says. `buckets`: of a histogram, upper bounds.
struct Metric {
    const char *name;
    const char *help;
    std::vector<double> buckets{};
};

/// `count` upper bounds, each `factor` times the one before.
std::vector<double> exponential_buckets(double start, double factor, std::size_t count);

class Metrics {
    struct State;
    std::unique_ptr<State> state_;

public:
    using Labels = std::map<std::string, std::string>;
    Metrics();
    ~Metrics();
    Metrics(const Metrics &) = delete;
    Metrics &operator=(const Metrics &) = delete;

    /// The one with these labels, made on first use. Not for hot paths: keep what it answers. Any thread.
    Counter counter(const Metric &metric, const Labels &labels = {});
    Gauge gauge(const Metric &metric, const Labels &labels = {});
    Histogram histogram(const Metric &metric, const Labels &labels = {});
    /// Every gauge of that metric is 0: for those whose labels come and go.
    void clear_gauges(const Metric &metric);

    /// What a scrape gets, with what the system says of this process.
    std::string text() const;
};

}  // namespace berth::report

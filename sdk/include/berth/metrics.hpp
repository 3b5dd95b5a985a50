// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin's metrics: defined at create by Host::counter and its like, kept, and used from any thread.

#include <berth/draft/metrics.h>
#include <berth/status.h>
#include <berth/value.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

/// One series, for as long as the instance lives. One that was made from nothing, of a definition that the host does
/// not take, or by a host without the draft counts nothing.
class Series {
protected:
    const berth_host *host_ = nullptr;
    const berth_host_metrics *metrics_ = nullptr;
    std::uint64_t id_ = 0;

public:
    Series() = default;
    Series(const berth_host *host, const berth_host_metrics *metrics, std::uint64_t id)
        : host_(host), metrics_(metrics), id_(id) {}
    /// Its values are gone, as a group that has ended: it is exported no more, and makes place for others.
    void end() const noexcept {
        if (metrics_) metrics_->end(host_, id_);
    }
};
class Counter : public Series {
public:
    using Series::Series;
    void add(double n = 1) const noexcept {
        if (metrics_) metrics_->add(host_, id_, n);
    }
};
class Gauge : public Series {
public:
    using Series::Series;
    void set(double value) const noexcept {
        if (metrics_) metrics_->set(host_, id_, value);
    }
    void add(double n) const noexcept {
        if (metrics_) metrics_->add(host_, id_, n);
    }
};
class Histogram : public Series {
public:
    using Series::Series;
    void observe(double value) const noexcept {
        if (metrics_) metrics_->observe(host_, id_, value);
    }
};

/// A metric with labels; S is a Counter, Gauge or Histogram.
template <class S>
class Labelled {
    const berth_host *host_ = nullptr;
    const berth_host_metrics *metrics_ = nullptr;
    std::uint32_t id_ = 0;
    std::size_t labels_ = 0;

public:
    Labelled() = default;
    Labelled(const berth_host *host, const berth_host_metrics *metrics, std::uint32_t id, std::size_t labels)
        : host_(host), metrics_(metrics), id_(id), labels_(labels) {}
    /// The series of these values, one for each label, in their order. Ask once and keep it, not for every pod. Throws
    /// for another number of values.
    S with(std::initializer_list<std::string_view> values) const {
        if (!metrics_) return {};
        if (values.size() != labels_) throw std::logic_error("a metric has as many values as labels");
        if (id_ == 0) return {};
        std::vector<berth_str> texts;
        for (auto value : values) texts.push_back(to_str(value));
        return {host_, metrics_, metrics_->series(host_, id_, texts.data(), texts.size())};
    }
};

/// Upper bounds for durations in seconds: those that kube-scheduler has for its own, 1 ms doubled 14 times.
inline constexpr std::array<double, 15> seconds_bounds{0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128,
                                                       0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384};

namespace detail {

/// Its id; 0 if the host does not take it, because of a kind that it does not know or of another plugin's metric.
/// Throws if it is none.
inline std::uint32_t define(const berth_host *host, const berth_host_metrics &metrics, berth_metric raw,
                            std::string_view name, std::string_view help,
                            std::initializer_list<std::string_view> labels) {
    std::vector<berth_str> names;
    for (auto label : labels) names.push_back(to_str(label));
    raw.struct_size = sizeof raw;
    raw.name = to_str(name);
    raw.help = to_str(help);
    raw.labels = names.data();
    raw.labels_len = names.size();
    std::uint32_t id = 0;
    const auto code = metrics.define(host, &raw, &id);
    if (code != BERTH_STATUS_SUCCESS && code != BERTH_STATUS_UNSUPPORTED)
        throw std::runtime_error("metric " + std::string(name) + " is refused; the log says why");
    return id;
}

}  // namespace detail
}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What plugins count: the metrics behind berth.host.metrics/draft1. Each is bounded, whoever chooses its labels.

#include "model/result.h"

#include <berth/detail/metric.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::plugin {

struct Profile;

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
    bool ended = false;     ///< by one of them, and nobody has asked for it since

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
    /// A user less: who only goes leaves the numbers to the others and to who comes, unless one has ended it; if the
    /// last one ends it, they go.
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

/// Those of one instance, by the ids that it knows.
class InstanceMetrics {
    // An id is the number of a slot and how often the slot has been freed, so that none is given twice.
    static constexpr unsigned slot_bits = 14;
    static constexpr std::size_t most_slots = std::size_t{1} << slot_bits, chunk_size = 256;
    static constexpr std::uint32_t last_round = (1u << (32 - slot_bits)) - 1;
    static constexpr std::size_t most_waiting = 256;
    static constexpr std::uint64_t one_round = std::uint64_t{1} << 32u;
    struct Slot {
        /// In the upper half its round; in the lower one how many threads are recording: then nothing is freed.
        std::atomic<std::uint64_t> state{0};
        std::atomic<MetricSeries *> series{nullptr};
        SeriesPtr owner;              ///< what `series` is
        std::vector<SeriesPtr> kept;  ///< what it was before: a thread may be recording to it
        std::size_t metric = 0;       ///< of defined_
        bool dropped = false;         ///< an id of it has ended because others waited
    };
    using Chunk = std::array<Slot, chunk_size>;
    struct Defined {
        std::shared_ptr<DefinedMetric> of;
        std::uint32_t overflow = 0;  ///< its id
        std::map<const MetricSeries *, std::uint32_t> ids{};
        std::map<std::string_view, std::uint32_t> waiting{};  ///< by labels
    };
    mutable std::mutex mutex_;
    std::vector<Defined> defined_;
    std::array<std::atomic<Chunk *>, most_slots / chunk_size> chunks_{};
    std::vector<std::unique_ptr<Chunk>> owned_;
    std::size_t used_ = 1;                 ///< slots; the first is of no id
    std::deque<std::size_t> free_, busy_;  ///< freed ones; those that a thread was recording to when they ended
    std::deque<std::uint32_t> waiting_;    ///< ids, the oldest first

    Slot *slot(std::size_t index) const;
    Slot *slot_of(std::uint32_t id) const { return slot(id & (most_slots - 1)); }
    static std::uint32_t round_of(std::uint32_t id) { return id >> slot_bits; }
    /// The slot of an id that has not ended; null.
    Slot *live(std::uint32_t id) const;
    std::uint32_t new_id(std::size_t metric, SeriesPtr series);
    std::uint32_t id_of(std::size_t metric, const SeriesPtr &series);
    Metric::Room room(const Defined &defined) const;
    void make_room(const Defined &defined, const std::string &labels);
    Metric::Found take(const Defined &defined, const std::string &labels);
    bool enter(Slot &slot, std::uint32_t id);
    void end(Slot &slot, std::uint32_t id);
    void collect();

public:
    InstanceMetrics() = default;
    ~InstanceMetrics();
    InstanceMetrics(const InstanceMetrics &) = delete;
    InstanceMetrics &operator=(const InstanceMetrics &) = delete;

    struct Outcome {
        std::int32_t code = 0;
        std::uint32_t id = 0;
        std::string why;  ///< of an error, or a warning
    };
    /// `metrics` may be null: then it is counted for nobody.
    Outcome define(PluginMetrics *metrics, const std::string &plugin, const std::string &profile, const void *build,
                   MetricDefinition definition);
    void put_in_force(PluginMetrics &metrics);
    struct Found {
        std::uint32_t id = 0;  ///< 0: no such metric, or another number of values
        const MetricDefinition *first_overflow = nullptr;
    };
    /// In a dry run nothing new takes a place.
    Found series(std::uint32_t metric, std::span<const berth_str> values, bool dry_run);
    /// In a dry run only what waits.
    void end(std::uint32_t id, bool dry_run);
    /// Calls fn(MetricSeries &) without a lock, unless there is none of that id. False if it waits: then `enter` it.
    template <class Fn>
    bool record(std::uint32_t id, Fn &&fn) const {
        Slot *const at = slot_of(id);
        if (!at) return true;
        const auto before = at->state.fetch_add(1, std::memory_order_acquire);
        auto *const to = before / one_round == round_of(id) ? at->series.load(std::memory_order_acquire) : nullptr;
        const bool waits = to && to->place == MetricSeries::Place::Waiting;
        if (to && !waits) fn(*to);
        at->state.fetch_sub(1, std::memory_order_release);
        return !waits;
    }
    Found enter(std::uint32_t id);

    // For the strict layer.
    std::optional<std::size_t> labels(std::uint32_t metric) const;
    enum class Known : std::uint8_t { Never, Ended, Live, Dropped };  ///< the last: it or another one of its place
    Known known(std::uint32_t id) const;
    const MetricDefinition *definition_of(std::uint32_t id) const;  ///< of one that lives
};

/// Scrapes show what the instances of this profile have defined, from now on.
void put_metrics_in_force(const Profile &profile);

}  // namespace berth::plugin

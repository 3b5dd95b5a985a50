// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The metrics of one plugin instance, by their ids in the plugin.

#include "plugin/metrics.h"

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
#include <vector>

namespace berth::plugin {

struct Profile;

/// Any thread.
class InstanceMetrics {
    // An id is the number of a slot and how often the slot has been freed, so that none is given twice.
    static constexpr unsigned slot_bits = 14;
    static constexpr std::size_t most_slots = std::size_t{1} << slot_bits, chunk_size = 256;
    static constexpr std::uint32_t last_round = 0xffff'fffe;  // after which a slot is not freed again
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
        std::uint64_t overflow = 0;  ///< its id
        std::map<const MetricSeries *, std::uint64_t> ids{};
        std::map<std::string_view, std::uint64_t> waiting{};  ///< by labels
    };
    mutable std::mutex mutex_;
    std::vector<Defined> defined_;
    std::array<std::atomic<Chunk *>, most_slots / chunk_size> chunks_{};
    std::vector<std::unique_ptr<Chunk>> owned_;
    std::size_t used_ = 1;                 ///< slots; the first is of no id
    std::deque<std::size_t> free_, busy_;  ///< freed ones; those that a thread was recording to when they ended
    std::deque<std::uint64_t> waiting_;    ///< ids, the oldest first

    Slot *slot(std::size_t index) const;
    Slot *slot_of(std::uint64_t id) const { return slot(id & (most_slots - 1)); }
    static std::uint64_t round_of(std::uint64_t id) { return id >> slot_bits; }
    /// The slot of an id that has not ended; null.
    Slot *live(std::uint64_t id) const;
    std::uint64_t new_id(std::size_t metric, SeriesPtr series);
    std::uint64_t id_of(std::size_t metric, const SeriesPtr &series);
    Metric::Room room(const Defined &defined) const;
    void make_room(const Defined &defined, const std::string &labels);
    Metric::Found take(const Defined &defined, const std::string &labels);
    bool enter(Slot &slot, std::uint64_t id);
    void end(Slot &slot, std::uint64_t id);
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
    /// `metrics` may be null: then nothing is exported.
    Outcome define(PluginMetrics *metrics, const std::string &plugin, const std::string &profile, const void *build,
                   MetricDefinition definition);
    void put_in_force(PluginMetrics &metrics);
    struct Found {
        std::uint64_t id = 0;  ///< 0: no such metric, or another number of values
        const MetricDefinition *first_overflow = nullptr;
    };
    /// In a dry run nothing new takes a place.
    Found series(std::uint32_t metric, std::span<const berth_str> values, bool dry_run);
    /// In a dry run only what waits.
    void end(std::uint64_t id, bool dry_run);
    /// Calls fn(MetricSeries &) without a lock, unless there is none of that id. False if it waits: then `enter` it.
    template <class Fn>
    bool record(std::uint64_t id, Fn &&fn) const {
        Slot *const at = slot_of(id);
        if (!at) return true;
        const auto before = at->state.fetch_add(1, std::memory_order_acquire);
        auto *const to = before / one_round == round_of(id) ? at->series.load(std::memory_order_acquire) : nullptr;
        const bool waits = to && to->place == MetricSeries::Place::Waiting;
        if (to && !waits) fn(*to);
        at->state.fetch_sub(1, std::memory_order_release);
        return !waits;
    }
    Found enter(std::uint64_t id);

    // For the strict layer.
    std::optional<std::size_t> labels(std::uint32_t metric) const;
    enum class Known : std::uint8_t { Never, Ended, Live, Dropped };  ///< the last: it or another one of its place
    Known known(std::uint64_t id) const;
    const MetricDefinition *definition_of(std::uint64_t id) const;  ///< of one that lives
};

/// Scrapes show what the instances of this profile have defined, from now on.
void put_metrics_in_force(const Profile &profile);

}  // namespace berth::plugin

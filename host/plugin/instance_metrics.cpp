// SPDX-License-Identifier: Apache-2.0
#include "plugin/instance_metrics.h"

#include "plugin/fault.h"
#include "plugin/host_context.h"
#include "plugin/profile.h"

#include <algorithm>
#include <utility>

namespace berth::plugin {

namespace {

using Place = MetricSeries::Place;

}  // namespace

InstanceMetrics::~InstanceMetrics() {
    for (std::size_t i = 1; i < used_; ++i)
        if (const auto *at = slot(i); at->owner) defined_[at->metric].of->metric->leave(*at->owner);
}

InstanceMetrics::Slot *InstanceMetrics::slot(std::size_t index) const {
    auto *const chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
    return chunk ? &(*chunk)[index % chunk_size] : nullptr;
}

InstanceMetrics::Slot *InstanceMetrics::live(std::uint64_t id) const {
    auto *const at = slot_of(id);
    return at && at->owner && at->state.load(std::memory_order_relaxed) / one_round == round_of(id) ? at : nullptr;
}

/// Frees what no thread is recording to any more.
void InstanceMetrics::collect() {
    for (std::size_t n = busy_.size(); n > 0; --n) {
        const auto index = busy_.front();
        busy_.pop_front();
        auto &at = *slot(index);
        const auto state = at.state.load(std::memory_order_acquire);
        if (state % one_round != 0) {
            busy_.push_back(index);
            continue;
        }
        at.kept.clear();
        if (state / one_round <= last_round) free_.push_back(index);
    }
}

/// 0 if there are too many.
std::uint64_t InstanceMetrics::new_id(std::size_t metric, SeriesPtr series) {
    collect();
    std::size_t index = 0;
    if (!free_.empty()) {
        index = free_.front();
        free_.pop_front();
    } else if (used_ < most_slots) {
        index = used_++;
        auto &chunk = chunks_[index / chunk_size];
        if (!chunk.load(std::memory_order_relaxed))
            chunk.store(owned_.emplace_back(std::make_unique<Chunk>()).get(), std::memory_order_release);
    } else {
        return 0;
    }
    auto &at = *slot(index);
    at.metric = metric;
    at.owner = std::move(series);
    at.series.store(at.owner.get(), std::memory_order_release);
    const auto round = at.state.load(std::memory_order_relaxed) / one_round;
    return round << slot_bits | index;
}

/// For a user that has been counted already.
std::uint64_t InstanceMetrics::id_of(std::size_t metric, const SeriesPtr &series) {
    auto &defined = defined_[metric];
    auto &numbers = *defined.of->metric;
    if (series == numbers.overflow) return defined.overflow;
    if (const auto known = defined.ids.find(series.get()); known != defined.ids.end()) {
        numbers.leave(*series);
        return known->second;
    }
    const auto id = new_id(metric, series);
    if (id == 0) {
        numbers.end(*series);
        return defined.overflow;
    }
    defined.ids.emplace(series.get(), id);
    return id;
}

Metric::Room InstanceMetrics::room(const Defined &defined) const {
    std::size_t numbers = 0, text = 0;
    for (const auto &one : defined_) {
        numbers += one.of->metric->numbers();
        text += one.of->metric->text();
    }
    return {defined.of->definition.most_series,
            detail::most_metric_numbers - std::min(numbers, detail::most_metric_numbers),
            detail::most_metric_text - std::min(text, detail::most_metric_text)};
}

/// Where there is none left: by removing what replaced instances have left behind.
void InstanceMetrics::make_room(const Defined &defined, const std::string &labels) {
    auto &numbers = *defined.of->metric;
    auto has_none = [&] { return !numbers.has_room(labels, room(defined)); };
    while (has_none() && numbers.remove_unused()) {
    }
    for (const auto &one : defined_)
        while (has_none() && !numbers.is_full(room(defined)) && one.of->metric->remove_unused()) {
        }
}

Metric::Found InstanceMetrics::take(const Defined &defined, const std::string &labels) {
    auto &numbers = *defined.of->metric;
    if (auto known = numbers.find(labels)) return {std::move(known)};
    make_room(defined, labels);
    return numbers.take(labels, room(defined));
}

InstanceMetrics::Outcome InstanceMetrics::define(PluginMetrics *metrics, const std::string &plugin,
                                                 const std::string &profile, const void *build,
                                                 MetricDefinition definition) {
    std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < defined_.size(); ++i) {
        const auto &other = defined_[i].of->definition;
        if (other == definition) return {BERTH_STATUS_SUCCESS, static_cast<std::uint32_t>(i + 1), {}};
        if (detail::metric_family(other.name) == detail::metric_family(definition.name))
            return {BERTH_STATUS_INVALID, 0, "this instance has " + in_quotes(other.name) + " already"};
    }
    if (defined_.size() >= detail::most_metrics) return {BERTH_STATUS_LIMIT_EXCEEDED, 0, "the instance has 64 already"};
    std::string warning;
    std::shared_ptr<DefinedMetric> made;
    if (metrics) {
        auto defined = metrics->define(plugin, profile, build, std::move(definition));
        if (!defined) return {BERTH_STATUS_UNSUPPORTED, 0, defined.error().text};
        made = std::move(defined->metric);
        warning = std::move(defined->warning);
    } else {
        auto numbers = std::make_shared<Metric>(definition);
        made = std::make_shared<DefinedMetric>(plugin, profile, std::move(definition), std::move(numbers), build);
    }
    const auto &overflow = made->metric->overflow;
    defined_.push_back({made});
    defined_.back().overflow = new_id(defined_.size() - 1, overflow);
    return {BERTH_STATUS_SUCCESS, static_cast<std::uint32_t>(defined_.size()), std::move(warning)};
}

void InstanceMetrics::put_in_force(PluginMetrics &metrics) {
    std::scoped_lock lock(mutex_);
    for (const auto &one : defined_) metrics.put_in_force(one.of);
}

InstanceMetrics::Found InstanceMetrics::series(std::uint32_t metric, std::span<const berth_str> values, bool dry_run) {
    std::scoped_lock lock(mutex_);
    if (metric == 0 || metric > defined_.size()) return {};
    auto &defined = defined_[metric - 1];
    const auto &definition = defined.of->definition;
    if (values.size() != definition.labels.size()) return {};
    auto &numbers = *defined.of->metric;
    const auto labels = detail::labels_text(definition.labels, values);
    if (const auto at = defined.waiting.find(labels); at != defined.waiting.end()) {
        const auto id = at->second;
        const bool first = !dry_run && enter(*live(id), id);
        return {id, first ? &definition : nullptr};
    }
    if (!dry_run) {
        const auto [series, first] = take(defined, labels);
        return {id_of(metric - 1, series), first ? &definition : nullptr};
    }
    if (const auto series = numbers.find(labels)) return {id_of(metric - 1, series)};
    if (!numbers.has_room(labels, room(defined))) return {defined.overflow};
    if (waiting_.size() >= most_waiting) {
        const auto oldest = waiting_.front();
        auto &place = *live(oldest);
        place.dropped = true;
        end(place, oldest);
    }
    auto series = std::make_shared<MetricSeries>(numbers.definition, labels, Place::Waiting);
    const auto id = new_id(metric - 1, series);
    if (id == 0) return {defined.overflow};
    defined.waiting.emplace(series->labels, id);
    waiting_.push_back(id);
    return {id};
}

/// Whether that is the first one without room.
bool InstanceMetrics::enter(Slot &slot, std::uint64_t id) {
    auto &defined = defined_[slot.metric];
    auto [series, first] = take(defined, slot.owner->labels);
    defined.waiting.erase(slot.owner->labels);
    std::erase(waiting_, id);
    if (series != defined.of->metric->overflow) defined.ids.emplace(series.get(), id);
    slot.kept.push_back(std::exchange(slot.owner, std::move(series)));
    slot.series.store(slot.owner.get(), std::memory_order_release);
    return first;
}

InstanceMetrics::Found InstanceMetrics::enter(std::uint64_t id) {
    std::scoped_lock lock(mutex_);
    auto *const at = live(id);
    if (!at || at->owner->place != Place::Waiting) return {};
    const auto &definition = defined_[at->metric].of->definition;
    return {id, enter(*at, id) ? &definition : nullptr};
}

void InstanceMetrics::end(std::uint64_t id, bool dry_run) {
    std::scoped_lock lock(mutex_);
    auto *const at = live(id);
    if (!at || id == defined_[at->metric].overflow) return;
    if (!dry_run || at->owner->place == Place::Waiting) end(*at, id);
}

void InstanceMetrics::end(Slot &slot, std::uint64_t id) {
    auto &defined = defined_[slot.metric];
    if (slot.owner->place == Place::Waiting) {
        defined.waiting.erase(slot.owner->labels);
        std::erase(waiting_, id);
    }
    defined.ids.erase(slot.owner.get());
    defined.of->metric->end(*slot.owner);
    slot.kept.push_back(std::exchange(slot.owner, nullptr));
    slot.series.store(nullptr, std::memory_order_release);
    slot.state.fetch_add(one_round, std::memory_order_acq_rel);
    busy_.push_back(id & (most_slots - 1));
    collect();
}

std::optional<std::size_t> InstanceMetrics::labels(std::uint32_t metric) const {
    std::scoped_lock lock(mutex_);
    if (metric == 0 || metric > defined_.size()) return std::nullopt;
    return defined_[metric - 1].of->definition.labels.size();
}

InstanceMetrics::Known InstanceMetrics::known(std::uint64_t id) const {
    std::scoped_lock lock(mutex_);
    const auto *at = slot_of(id);
    if (!at || (id & (most_slots - 1)) >= used_) return Known::Never;
    const auto round = at->state.load(std::memory_order_relaxed) / one_round;
    if (round_of(id) < round) return at->dropped ? Known::Dropped : Known::Ended;
    return round_of(id) == round && at->owner ? Known::Live : Known::Never;
}

const MetricDefinition *InstanceMetrics::definition_of(std::uint64_t id) const {
    std::scoped_lock lock(mutex_);
    const auto *at = live(id);
    return at ? &defined_[at->metric].of->definition : nullptr;
}

void put_metrics_in_force(const Profile &profile) {
    for (const auto &instance : profile.instances)
        if (const auto &context = instance->context; context && context->services.metrics)
            context->metrics->put_in_force(*context->services.metrics);
}

}  // namespace berth::plugin

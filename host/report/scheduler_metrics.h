// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduler's metrics, kube-scheduler's (pkg/scheduler/metrics of each release) and Berth's
/// own.

#include "cluster/cache.h"
#include "model/shadow.h"
#include "plugin/failures.h"
#include "plugin/meter.h"
#include "queue/queue.h"
#include "report/attempt_metrics.h"
#include "report/call_metrics.h"
#include "report/events.h"
#include "report/memory.h"

#include <map>
#include <string>

namespace berth::report {

/// Changes of the configuration since the start.
struct Reloads {
    std::uint64_t taken = 0, refused = 0;
    bool last_taken = true;  ///< also when there was none
};

/// The state of the leader election.
struct Lease {
    bool leads = false;
    std::uint64_t slow_paths = 0;
};

/// On the loop, but for text().
class SchedulerMetrics : public plugin::Meter {
public:
    explicit SchedulerMetrics(const config::Rules &rules = {});

    void use(std::span<const plugin::Profile> profiles) override { plugins_.use(profiles); }
    void called(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t slots,
                std::int64_t ns) override {
        plugins_.called(instance, point, slots, ns);
    }
    void evaluated(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t slots) override {
        plugins_.evaluated(instance, point, slots);
    }
    void rejected(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t slots) override {
        plugins_.rejected(instance, point, slots);
    }
    void point_ended(std::string_view profile, plugin::CalledPoint point, std::int32_t code, std::int64_t ns) override {
        attempts_.point_ended(profile, point, code, ns);
    }
    void attempt_began(std::string_view uid) override { attempts_.attempt_began(uid); }
    void attempt_searched(std::string_view uid) override { attempts_.attempt_searched(uid); }
    void attempt_ended(std::string_view uid, std::string_view profile, std::string_view result) override {
        attempts_.attempt_ended(uid, profile, result);
    }
    void bound(std::uint32_t attempts, std::int64_t waited_ns) override { attempts_.bound(attempts, waited_ns); }
    void began(std::string_view uid, plugin::CalledPoint point) override { attempts_.began(uid, point); }
    void ended(std::string_view uid, std::string_view profile, plugin::CalledPoint point, std::int32_t code) override {
        attempts_.ended(uid, profile, point, code);
    }
    void entered(std::string_view, std::string_view queue, std::string_view event) override {
        incoming_.of({queue, event}).add();
    }
    /// A plugin asked the API server to delete a pod.
    void pod_evicted() { attempts_.pod_evicted(); }

    // Each brings up to date what is not counted as it happens.
    /// `binding`: pods that have a node and are not bound yet.
    void update(const queue::Queue &queue, const cluster::Cache &cache, std::size_t binding);
    void update(const plugin::PluginFailures::Counts &failures);
    void update(const Reloads &reloads);
    void update(const Lease &lease);
    void update(const EventWriter &events);
    void update(const model::ShadowCounts &shadow, bool paused);
    void update(const MemoryUse &memory);
    /// How many objects cannot be read, by resource.
    void update_unreadable(const std::map<std::string, std::size_t> &objects);

    PluginList plugins() const { return plugins_.plugins(); }  ///< of CallMetrics
    /// What a scrape gets; any thread.
    std::string text() { return metrics_.text(); }

private:
    struct Incoming {
        std::string_view queue, event;
        auto operator<=>(const Incoming &) const = default;
        Incoming kept_in(Texts &texts) const { return {texts.keep(queue), texts.keep(event)}; }
        Metrics::Labels labels() const { return {{"queue", std::string(queue)}, {"event", std::string(event)}}; }
    };
    struct CountedElsewhere {
        std::string metric;
        Metrics::Labels labels;
        auto operator<=>(const CountedElsewhere &) const = default;
    };
    struct Grown {
        Counter counter{};
        std::uint64_t before = 0;  ///< as of the last look
    };

    /// A counter of what others count.
    void grow(const Metric &metric, const Metrics::Labels &labels, std::uint64_t now);

    Metrics metrics_;
    const MetricDefinitions definitions_;
    const bool know_groups_;
    AttemptMetrics attempts_;
    CallMetrics plugins_;
    SeriesBy<Incoming, Counter> incoming_;
    std::map<CountedElsewhere, Grown> grown_;
    std::int64_t real_ns_ = 0, shadow_ns_ = 0;  ///< a shadow's time, as of the last look
};

}  // namespace berth::report

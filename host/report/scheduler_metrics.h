// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduler's metrics, kube-scheduler's (pkg/scheduler/metrics of each release) and Berth's
/// own.

#include "cluster/cache.h"
#include "env/api.h"
#include "model/shadow.h"
#include "plugin/failures.h"
#include "plugin/meter.h"
#include "queue/queue.h"
#include "report/events.h"
#include "report/memory.h"
#include "report/metrics.h"
#include "report/plugin_list.h"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

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
    struct OfPlugin {
        Counter calls, slots, seconds, rejections, evaluations;
        PluginCalls::Latency latency{};
    };
    /// An instance at a point, and what is known of its plugin there.
    struct Called {
        std::string name;
        OfPlugin *of = nullptr;
    };
    struct Key {
        const void *instance, *point;
        bool operator==(const Key &) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key &key) const;
    };
    struct Way {
        std::int64_t began_ns = 0, step_ns = 0;
    };

    Metrics metrics_;
    bool know_groups_;
    std::map<const plugin::Instance *, std::string> profile_of_;
    PluginList in_force_;                                                            ///< without calls
    std::map<std::tuple<std::string, std::string, std::string>, OfPlugin> plugins_;  ///< by profile, plugin and point
    std::unordered_map<Key, Called, Hash> called_;
    std::map<std::string, Histogram, std::less<>> points_;
    std::string point_key_;  ///< room for a key of points_
    std::map<std::string, std::pair<Counter, Histogram>, std::less<>> results_;
    std::map<std::string, Counter, std::less<>> entered_;
    std::unordered_map<std::string, Way> ways_;  ///< of the pods under way
    Histogram algorithm_, attempts_, victims_;
    Counter preemptions_;
    std::map<std::string, std::uint64_t> counted_;  ///< elsewhere, as of the last look, by metric and labels
    std::int64_t real_ns_ = 0, shadow_ns_ = 0;      ///< the same of a shadow's time
    std::size_t evicted_ = 0;                       ///< since the last attempt that ended

    OfPlugin &of(const plugin::Instance &instance, std::string_view point);
    /// A counter that somebody else counts.
    void count(const Metric &metric, const Metrics::Labels &labels, std::uint64_t now);
    Counter evaluations(const std::string &plugin, const std::string &profile, std::string_view point);

public:
    explicit SchedulerMetrics(const config::Rules &rules = {});

    void use(std::span<const plugin::Profile> profiles) override;
    void called(const plugin::Instance &instance, std::string_view point, std::size_t slots, std::int64_t ns) override;
    void evaluated(const plugin::Instance &instance, std::string_view point, std::size_t slots) override;
    void rejected(const plugin::Instance &instance, std::string_view point, std::size_t slots) override;
    void point_ended(std::string_view profile, std::string_view point, std::int32_t code, std::int64_t ns) override;
    void attempt_began(std::string_view uid) override;
    void attempt_searched(std::string_view uid) override;
    void attempt_ended(std::string_view uid, std::string_view profile, std::string_view result) override;
    void bound(std::uint32_t attempts, std::int64_t waited_ns) override;
    void began(std::string_view uid, std::string_view point) override;
    void ended(std::string_view uid, std::string_view profile, std::string_view point, std::int32_t code) override;
    void entered(std::string_view uid, std::string_view queue, std::string_view event) override;
    /// A plugin asked the API server to delete a pod.
    void evicted() { ++evicted_; }

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
    /// The profiles in force and their plugins, and how these were called since the start.
    PluginList plugins() const;
    /// What a scrape gets; any thread.
    std::string text();
};

/// The API that plugins write through; counts the pods that they delete.
class CountedApi : public env::Api {
    env::Api *api_ = nullptr;
    SchedulerMetrics &meter_;

public:
    explicit CountedApi(SchedulerMetrics &meter) : meter_(meter) {}
    /// Before the first send().
    void forward_to(env::Api &api) { api_ = &api; }
    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> on_answer) override {
        if (request.verb == env::Verb::Delete && request.resource == "pods") meter_.evicted();
        api_->send(std::move(request), std::move(on_answer));
    }
};

}  // namespace berth::report

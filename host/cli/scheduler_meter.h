// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduler's numbers under the names that kube-scheduler gives them (pkg/scheduler/metrics, v1.36.3), and Berth's
/// own.

#include "cli/plugin_failures.h"
#include "cli/reload_state.h"
#include "env/api.h"
#include "kube/election.h"
#include "kube/left_out.h"
#include "plugin/meter.h"
#include "report/events.h"
#include "report/memory.h"
#include "report/metrics.h"
#include "report/plugin_list.h"
#include "scheduler/scheduler.h"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace berth::cli {

/// On the loop, but for text().
class SchedulerMeter : public plugin::Meter {
    struct OfPlugin {
        report::Counter calls, slots, seconds, rejections, evaluations;
        report::PluginCalls::Latency latency{};
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

    report::Metrics metrics_;
    std::map<const plugin::Instance *, std::string> profile_of_;
    report::PluginList in_force_;                                                    ///< without calls
    std::map<std::tuple<std::string, std::string, std::string>, OfPlugin> plugins_;  ///< by profile, plugin and point
    std::unordered_map<Key, Called, Hash> called_;
    std::map<std::string, report::Histogram, std::less<>> points_;
    std::map<std::string, std::pair<report::Counter, report::Histogram>, std::less<>> results_;
    std::map<std::string, report::Counter, std::less<>> entered_;
    std::unordered_map<std::string, Way> ways_;  ///< of the pods under way
    report::Histogram algorithm_, attempts_, victims_;
    report::Counter preemptions_;
    std::map<std::string, std::uint64_t> counted_;  ///< elsewhere, as of the last look, by metric and labels
    std::int64_t real_ns_ = 0, shadow_ns_ = 0;      ///< the same of a shadow's time
    std::size_t evicted_ = 0;                       ///< since the last attempt that ended

    OfPlugin &of(const plugin::Instance &instance, std::string_view point);
    /// A counter that somebody else counts.
    void count(const report::Metric &metric, const report::Metrics::Labels &labels, std::uint64_t now);
    report::Counter evaluations(const std::string &plugin, const std::string &profile, std::string_view point);

public:
    SchedulerMeter();
    ~SchedulerMeter() override;

    void use(std::span<const plugin::Profile> profiles) override;
    void called(const plugin::Instance &instance, std::string_view point, std::size_t slots, std::int64_t ns) override;
    void evaluated(const plugin::Instance &instance, std::string_view point, std::size_t slots) override;
    void rejected(const plugin::Instance &instance, std::string_view point, std::size_t slots) override;
    void asked(std::string_view profile, std::string_view point, std::int32_t code, std::int64_t ns) override;
    void attempt_began(std::string_view uid) override;
    void attempt_searched(std::string_view uid) override;
    void attempt_ended(std::string_view uid, std::string_view profile, std::string_view result) override;
    void bound(std::uint32_t attempts, std::int64_t waited_ns) override;
    void began(std::string_view uid, std::string_view point) override;
    void ended(std::string_view uid, std::string_view profile, std::string_view point, std::int32_t code) override;
    void entered(std::string_view uid, std::string_view queue, std::string_view event) override;
    /// A plugin asked the API server to delete a pod.
    void evicted() { ++evicted_; }

    /// Brings what is not counted as it happens up to date.
    void look_at(Scheduler &scheduler, const ReloadState &reloads, const PluginFailures::Counts &failures);
    /// The same of the lease, and of the events that were not written.
    void look_at(const kube::Election &election);
    void look_at(const report::EventWriter &events);
    void look_at(const Shadow &shadow);
    void look_at(const kube::LeftOut &left_out);
    void look_at(const report::MemoryUse &memory);
    /// The profiles in force and their plugins, and how these were called since the start.
    report::PluginList plugins() const;
    /// What a scrape gets; any thread.
    std::string text();
};

/// The API that plugins write through; counts the pods that they delete.
class CountedApi : public env::Api {
    env::Api *api_ = nullptr;
    SchedulerMeter &meter_;

public:
    explicit CountedApi(SchedulerMeter &meter) : meter_(meter) {}
    /// Before the first send().
    void forward_to(env::Api &api) { api_ = &api; }
    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> on_answer) override {
        if (request.verb == env::Verb::Delete && request.resource == "pods") meter_.evicted();
        api_->send(std::move(request), std::move(on_answer));
    }
};

}  // namespace berth::cli

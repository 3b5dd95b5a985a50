// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A live cluster: the scheduler, its watches, writes, events and conditions.

#include "env/loop.h"
#include "env/threads.h"
#include "kube/api.h"
#include "kube/held_events.h"
#include "kube/reflector.h"
#include "kube/rights.h"
#include "live/cache_debugger.h"
#include "live/core.h"
#include "live/decision_sink.h"
#include "live/late_watch.h"
#include "live/leadership.h"
#include "live/needed_rights.h"
#include "live/start_faults.h"
#include "live/transports.h"
#include "live/watches.h"
#include "plugin/metrics.h"
#include "plugin/profile.h"
#include "report/events.h"
#include "report/memory.h"
#include "report/status_writer.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace berth::live {

/// Everything on the loop, which run() turns.
class Live : plugin::EventRecorder {
    static constexpr std::size_t threads_max = 2;
    env::Loop &loop_;
    env::Threads threads_{loop_, threads_max};  ///< for the plugins' tasks
    env::Log &log_;
    LiveSink &sink_;
    plugin::PluginMetrics plugin_metrics_;
    std::unique_ptr<LiveCore> core_;
    ToCore observer_{core_};
    std::unique_ptr<LiveCore> ended_;  ///< until the background work of its plugins has ended
    Transports transports_;
    kube::Api api_;
    env::Api *writes_ = &api_;
    report::EventWriter events_;
    report::StatusWriter statuses_;
    kube::Rights rights_;
    NeededRights needed_;
    bool nominates_ = true;
    StartFaults start_faults_{loop_, log_, [this](std::string text) { cannot_begin(std::move(text)); }};
    /// Pods come after the nodes, as in a simulation: slots are given out in the order of the nodes then, so that the
    /// same cluster and seed decide alike each time.
    kube::HeldEvents after_nodes_;
    std::shared_ptr<kube::LeftOut> left_out_ = std::make_shared<kube::LeftOut>();
    kube::Reflector nodes_, pods_;
    Watches watches_;
    CacheDebugger cache_debugger_{loop_, log_, in_force(), nodes_, pods_};
    LateWatch late_watch_{loop_, log_, in_force()};
    std::size_t to_sync_ = 3;  ///< nodes, pods, and what plugins watch
    std::string failure_;
    std::atomic<bool> synced_ = false, stopping_ = false;  ///< written on the loop
    std::unique_ptr<Leadership> leadership_;               ///< null: without leader election
    bool delay_cache_ = false;                             ///< list and watch only once we lead
    bool stands_ = false, leads_ = true, lost_ = false;    ///< for election
    bool fresh_ = true;                                    ///< it has seen all that another leader bound
    bool held_ = false;                                    ///< scheduling is paused
    std::vector<std::function<void()>> between_;

public:
    /// `loop` outlives it; the transports are made for it. Without a journal nothing is recorded.
    Live(env::Loop &loop, env::Log &log, LiveSink &sink, SchedulerSettings settings, Transports transports,
         std::optional<record::JournalWriter> journal);
    ~Live() override;

    LiveCore &core() { return *core_; }
    Scheduler &scheduler() { return core_->scheduler; }
    /// The same for objects that outlive this one.
    api::SchedulerInForce in_force() {
        return api::SchedulerInForce([this]() -> Scheduler & { return core_->scheduler; });
    }
    env::Clock &clock() { return loop_; }
    /// For the plugins of a core.
    plugin::Services services(LiveCore &core, std::uint64_t seed, plugin::Checks checks);
    /// The same for plugins outside of the recording.
    plugin::Services unrecorded(plugin::Services services);

    /// What plugins write through: the API server, or a forwarder to it that outlives this.
    env::Api &api() { return *writes_; }
    void write_through(env::Api &api) { writes_ = &api; }

    /// Another core that goes on with the work of the one in force, once it has profiles.
    std::unique_ptr<LiveCore> next_core(record::JournalWriter journal);
    /// Whether it may take its place now: nothing is under way, and every request of a plugin was answered.
    bool quiescent() const;
    /// Replaces the core; the new one gets the whole cluster.
    void replace(std::unique_ptr<LiveCore> core);
    /// No pod is taken up as long as `held`.
    void hold(bool held) { held_ = held; }
    /// Called whenever no pod is under way in a cycle, often; before run().
    void between_cycles(std::function<void()> callback) { between_.push_back(std::move(callback)); }

    env::Loop &loop() { return loop_; }
    Watches &watches() { return watches_; }

    /// Whether it schedules, as far as the lease goes; loop only.
    bool leads() const { return leads_ && !lost_; }
    /// Whether scheduling has begun, and whether it is ending; any thread.
    bool has_synced() const { return synced_; }
    bool is_stopping() const { return stopping_; }

    /// How many writes a second it may send, and whether it asks for objects in protobuf; before run().
    void connect(const config::ClientConnection &client);

    /// Whether a pod whose binding takes a while gets status.nominatedNodeName; before run().
    void nominate_expected_node(bool on) { nominates_ = on; }

    /// The rights that it asks for when it begins; before run().
    void need(NeededRights rights) { needed_ = std::move(rights); }
    /// Checks these rights now and logs the missing ones.
    void look_for(NeededRights rights);

    /// Schedules and writes only while it leads. With `delay_cache` it lists and watches no sooner. Before run().
    void elect(std::unique_ptr<Leadership> leadership, bool delay_cache);

    const report::EventWriter &events() const { return events_; }
    /// What plugins count.
    const plugin::PluginMetrics &plugin_metrics() const { return plugin_metrics_; }
    /// What it holds of the memory beside what `owned` has, which is its scheduler's. Loop only.
    std::vector<report::MemoryKind> with_own(std::vector<report::MemoryKind> owned) const;
    /// What of the cluster cannot be read; any thread.
    const kube::LeftOut &left_out() const { return *left_out_; }
    const Leadership *leadership() const { return leadership_.get(); }
    /// Extenders that bind only while it leads; after elect().
    Scheduler::Extenders guarded(Scheduler::Extenders extenders) const;

    /// Until it is stopped or does not lead any more; or the error that it could not begin.
    model::Result<void> run();
    /// Why run() returned.
    bool lost_leadership() const { return lost_; }

private:
    void event(const model::Object &regarding, const Event &e) override;

    bool ready() const { return to_sync_ == 0 && leads_ && fresh_ && !lost_ && !stopping_ && !held_; }

    bool schedule_one();

    void look();

    void follow();

    kube::Collection refusable(kube::Collection collection, const char *resource);

    void listen_to(Scheduler &scheduler);

    void cannot_begin(std::string text);

    void synced();

    void stand_for_election();

    void report_ready();

    void lead();

    void lose();

    void report_failure(const model::Pod &pod, const model::Decision &d);

    /// Takes no new pods, and lets those that are on their way arrive.
    void stop();

    void wind_down(int patience);

    void wound_down();
};

}  // namespace berth::live

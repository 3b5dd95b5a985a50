// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Berth's scheduler with its real plugins, on virtual time, in the world that tests/oracle/judge/timeline keeps. What
/// it does is written down in the words of upstream.go there.

#include "pipe.h"
#include "watches.h"

#include "kube/api.h"
#include "plugin/catalog.h"
#include "plugin/meter.h"
#include "report/status_writer.h"
#include "scheduler/scheduler.h"
#include "sim/virtual_clock.h"
#include "sim/virtual_workers.h"

#include <deque>
#include <optional>
#include <set>

namespace timeline_play {

/// How the product is run: what users do, or what the decision oracle does.
struct Manner {
    berth::config::Release release;
    std::string gates{};  ///< feature gates that have another value than usual, as --feature-gates takes them
    berth::plugin::Checks checks = berth::plugin::Checks::Strict;
    berth::model::Detail detail = berth::model::Detail::Nodes;
    bool news_first = false;  ///< a request about a pod is answered when its watch has told what it changed
};

class Player : berth::DecisionSink,
               berth::kube::Transport,
               berth::env::Log,
               berth::plugin::CallMeter,
               berth::plugin::EventRecorder {
    struct Waiting {
        berth::kube::HttpRequest request;
        Done done;
    };

    Manner manner_;
    berth::sim::VirtualClock clock_;
    berth::sim::VirtualWorkers workers_{clock_};
    std::deque<News> news_;                      ///< that no watch has told of yet
    std::deque<Waiting> waiting_;                ///< requests that are to be made
    std::deque<std::function<void()>> answers_;  ///< that come once the news are told
    bool at_once_ = false;                       ///< upstream waits for what is asked now within its cycle
    berth::kube::Api api_{*this, clock_};
    berth::Scheduler scheduler_;
    berth::report::StatusWriter statuses_;
    std::optional<Watches> watches_;
    std::map<std::string, std::string> states_;               ///< of pods and groups that wait, as last written down
    std::set<std::pair<std::string, std::uint32_t>> waited_;  ///< in Permit: attempts that are told already, by UID
    std::size_t members_told_ = 0;                            ///< of a group that enters a queue

public:
    /// Ends the program when the configuration cannot be used.
    Player(std::int64_t now_ns, Manner manner, berth::plugin::Catalog &catalog, const std::string &configuration);
    ~Player() override;
    Player(const Player &) = delete;
    Player &operator=(const Player &) = delete;

    /// Lets time pass and makes the attempts that are due; with `busy` none.
    void run_until(std::int64_t ns, bool busy);
    void take(std::vector<News> news);
    /// The scheduler hears of all of it before it does anything.
    void take_at_once(const std::vector<News> &news);
    /// Writes down each pod whose state in the queue is another than before.
    void report();

private:
    void settle();
    bool settle_one();
    void serve(Waiting waiting);
    void line(const std::string &text) { say(text); }
    void report_verdicts(const berth::model::Decision &decision);
    void report_scores(const berth::model::Decision &decision);

    berth::model::Detail detail() const override { return manner_.detail; }
    void decision(const berth::model::Decision &decision) override;
    void event(const berth::model::DecisionEvent &) override {}
    void request(berth::kube::HttpRequest request, Done done) override;
    StreamId stream(berth::kube::HttpRequest, Data, Done) override { return 0; }
    void cancel(StreamId) override {}
    bool enabled(berth::env::Severity severity, int) const override { return severity == berth::env::Severity::Error; }
    void write(berth::env::Severity, int, std::string_view message, const Pairs &, std::source_location) override;
    void write_text(berth::env::Severity, int, std::string_view plugin, std::string_view text) override;
    void called(const berth::plugin::Instance &, berth::plugin::CalledPoint, std::size_t, std::int64_t) override {}
    void entered(std::string_view uid, std::string_view queue, std::string_view event) override;
    void event(const berth::model::Object &, const berth::plugin::EventRecorder::Event &) override {}
};

}  // namespace timeline_play

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The search for one pod's node: PreFilter to Score, and PostFilter (v1.36.3, schedule_one.go: schedulePod).

#include "cycle/extenders.h"
#include "cycle/filters.h"
#include "cycle/post_filters.h"
#include "cycle/pre_filters.h"
#include "cycle/scores.h"
#include "env/random.h"
#include "model/decision.h"

namespace berth::cycle {

/// The serial part of scheduling, up to the choice of a node. Holds what lasts from pod to pod: where the next visit of
/// the nodes begins, and the memory of the stages, so that nothing is allocated per node. Loop only.
class Cycle final : public plugin::ExtenderPreemption {
    std::uint64_t seed_;
    std::uint64_t next_start_ = 0;  ///< upstream's nextStartNodeIndex
    PreFilters pre_filters_;
    Filters filters_;
    Scores scores_;
    PostFilters post_filters_;
    Extenders extenders_;
    ScheduleResult result_;
    model::Status absent_;  ///< after a rejection: of the nodes that were not judged

    // The current search.
    std::optional<Search> search_;
    model::Decision *tables_ = nullptr;
    std::function<void(const ScheduleResult &)> on_end_;
    std::vector<ExtenderScores> extender_scores_;
    bool running_ = false, ended_ = false, scored_ = false;

public:
    using OnEnd = std::function<void(const ScheduleResult &)>;

    /// `seed`: chance decides between nodes of equal score; the same seed decides the same way.
    Cycle(std::uint64_t seed, env::Clock &clock) : seed_(seed), post_filters_(clock) {}

    /// The extenders to ask, in their order, before the first run; they and the log, which may be null, outlive it. If
    /// there are any, every profile has an extender_rejector.
    void use(std::span<const std::unique_ptr<env::Extender>> extenders, env::Log *log) {
        extenders_.use(extenders, log);
    }

    /// Where the next visit begins. One that starts at another's finds what that one's next run would find.
    std::uint64_t next_start() const { return next_start_; }
    void start_at(std::uint64_t place) { next_start_ = place; }

    /// Finds a node. Calls the plugins of the profile at PreFilter, Filter, PreScore and Score, and the extenders. With
    /// `tables` it also fills in the decision's preFilter and nodes. The outcome is valid until the next run. Null: an
    /// extender takes its time, and `on_end` is called when it has answered; until then the snapshot does not change,
    /// and what the search refers to and `tables` outlive it.
    const ScheduleResult *run(const Search &search, model::Decision *tables, OnEnd on_end = {});

    /// Asks the PostFilter plugins what to do for the pod of the last run, which ended with Unfit. See
    /// PostFilters::run.
    void post_filter(const Search &search, PostFilters::OnEnd on_end);
    bool process_preemption(const berth_call *call, std::vector<Candidate> candidates, Processed done) override;
    PostFilters &post_filters() { return post_filters_; }
    const PostFilters &post_filters() const { return post_filters_; }

private:
    void begin();
    void end(Ending ending, std::string_view phase, std::string message);
    bool visit_nominated();
    void find_among_all();
    /// Calls the extenders for the feasible nodes; passes to `then` whether one that must not fail did.
    void ask_extenders(std::function<void(model::Status)> then);
    void choose();
    void pick();
    void reject(const model::Status *pre_filter);
    void record_nodes(std::vector<model::NodeRecord> &out) const;
};

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One pod and one snapshot become one node, or the reasons why none (kube-scheduler v1.36.3, schedule_one.go).

#include "cycle/filters.h"
#include "cycle/post_filters.h"
#include "cycle/pre_filters.h"
#include "cycle/scores.h"
#include "env/random.h"
#include "model/decision.h"

namespace berth::cycle {

/// The serial part of scheduling, up to the choice of a node. Holds what lasts from pod to pod: where the next visit of
/// the nodes begins, and the memory of the stages, so that nothing is allocated per node. Loop only.
class Cycle {
    std::uint64_t seed_;
    std::uint64_t next_start_ = 0;  ///< upstream's nextStartNodeIndex
    PreFilters pre_filters_;
    Filters filters_;
    Scores scores_;
    PostFilters post_filters_;
    Outcome outcome_;
    model::Status absent_;  ///< after a rejection: of the nodes that were not judged

public:
    /// `seed`: chance decides between nodes of equal score; the same seed decides the same way.
    Cycle(std::uint64_t seed, env::Clock &clock) : seed_(seed), post_filters_(clock) {}

    /// Finds a node. Calls the plugins of the profile at PreFilter, Filter, PreScore and Score. With `tables` it also
    /// fills in the decision's preFilter and nodes. The outcome is valid until the next run.
    const Outcome &run(const Search &search, model::Decision *tables);

    /// Asks the PostFilter plugins what to do for the pod of the last run, which ended with Unfit. See
    /// PostFilters::run.
    void post_filter(const Search &search, PostFilters::OnEnd on_end);
    PostFilters &post_filters() { return post_filters_; }
    const PostFilters &post_filters() const { return post_filters_; }

private:
    Participants participants(const Search &search) const;
    const Outcome &end(Ending ending, std::string_view phase, std::string message);
    model::Status find(const Search &search);
    bool try_nominated(const Search &search);
    const Outcome &choose(const Search &search, bool keep_raw);
    const Outcome &reject(const Search &search, const model::Status *pre_filter);
    void record_nodes(const Search &search, bool scored, std::vector<model::NodeRecord> &out) const;
};

}  // namespace berth::cycle

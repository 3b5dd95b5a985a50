// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Filter: which nodes take the pod, visited in order until enough are found (upstream: findNodesThatPassFilters).

#include "cycle/search.h"

#include <berth/fit_message.hpp>

#include <span>

namespace berth::cycle {

/// How many feasible nodes are enough among `nodes` (upstream: numFeasibleNodesToFind). `percentage` 0: adaptive.
std::uint32_t nodes_to_find(std::uint32_t nodes, std::int32_t percentage);

/// Runs the Filter plugins over batches of slots. Reusable; keeps its memory. Loop only.
class Filters {
    struct Verdict {
        std::uint64_t search = 0;  ///< the search it belongs to
        std::int32_t code = BERTH_SUCCESS;
        std::uint32_t reasons = BERTH_NO_REASONS;
        const plugin::Instance *plugin = nullptr;
    };

    std::uint64_t search_ = 0;
    std::vector<const plugin::Instance *> active_;
    std::vector<Verdict> by_slot_;
    std::vector<std::uint32_t> visited_, feasible_;
    std::uint32_t failed_ = 0;
    // One batch: verdicts by place, and the places that are still feasible with their slots.
    std::vector<Verdict> batch_;
    std::vector<std::uint32_t> places_, slots_, reasons_;
    std::vector<std::int32_t> codes_;
    std::string thrown_;  ///< what the plugin that ended the search threw

public:
    /// Begins the search of one pod: nothing is visited, these plugins take part.
    void begin(const Search &search, std::vector<const plugin::Instance *> active);

    /// Visits `slots` from place `start` on, wrapping round, until `limit` are feasible, and adds to what was visited
    /// before. Returns success, or the failure of a plugin with its complete text; then what was judged before it
    /// stays.
    model::Status visit(const Search &search, std::span<const std::uint32_t> slots, std::uint32_t start,
                        std::uint32_t limit);

    const std::vector<std::uint32_t> &feasible() const { return feasible_; }  ///< in visiting order
    const std::vector<std::uint32_t> &visited() const { return visited_; }    ///< each once, in visiting order
    std::uint32_t failed() const { return failed_; }                          ///< nodes that were rejected

    /// The rejection of a visited node, or success.
    model::Status verdict(const Search &search, std::uint32_t slot) const;
    void add_rejectors(Rejectors &rejectors) const;
    void count_reasons(const Search &search, ReasonCounts &counts) const;

private:
    void judge(const Search &search, std::uint32_t n);
    void call(const Search &search, const plugin::Instance &instance);
    void keep(std::uint32_t slot, const Verdict &verdict);
    model::Status failure(const Search &search, std::uint32_t slot, const Verdict &verdict) const;
};

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The extenders' filter, score and preempt calls in a search (upstream: findNodesThatPassExtenders). The end of
/// prioritizeNodes is here, too, and of a preemption callExtenders.

#include "cycle/search.h"
#include "env/extender.h"
#include "env/log.h"

#include <functional>
#include <memory>
#include <span>

namespace berth::cycle {

/// What the extenders left of the feasible nodes.
struct ExtenderVerdicts {
    model::Status status;             ///< success, or the failure of an extender that must not fail
    std::vector<std::uint32_t> left;  ///< slots, in the order of the last extender's answer
    struct Rejection {
        std::uint32_t slot;
        std::int32_t code;
        std::string reason;
    };
    std::vector<Rejection> rejected;  ///< those that were left out with a reason
};

/// What one extender adds to the nodes' totals.
struct ExtenderScores {
    std::string extender;
    std::int64_t weight = 0;           ///< with the factor that makes its 0 to 10 a score
    std::vector<std::int64_t> scores;  ///< by place; its own
};

/// Asks the extenders that are interested in the pod. The answers may come from within a call, or later; one search at
/// a time. Loop only.
class Extenders {
    std::span<const std::unique_ptr<env::Extender>> all_;
    env::Log *log_ = nullptr;
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< what answers that come too late look for

public:
    using Filtered = std::function<void(ExtenderVerdicts)>;
    using Scored = std::function<void(std::vector<ExtenderScores>)>;

    /// In the order of the calls. They and the log, which may be null, outlive it.
    void use(std::span<const std::unique_ptr<env::Extender>> all, env::Log *log);
    bool empty() const { return all_.empty(); }
    bool any_filters() const;
    bool any_prioritizes() const;

    /// One after the other about what the one before left.
    void filter(const Search &search, std::vector<std::uint32_t> feasible, Filtered done);
    /// All at the same time; one that fails scores nothing.
    void prioritize(const Search &search, std::span<const std::uint32_t> feasible, Scored done);

    using Candidate = plugin::ExtenderPreemption::Candidate;
    using Processed = plugin::ExtenderPreemption::Processed;
    /// One after the other about the candidates of a preemption that the one before left. CANCELLED when the
    /// search has ended before.
    void process_preemption(const std::weak_ptr<const Search> &search, std::vector<Candidate> candidates,
                            Processed done, std::size_t first = 0);

private:
    void ask(const Search &search, std::size_t next, ExtenderVerdicts so_far, Filtered done);
};

}  // namespace berth::cycle

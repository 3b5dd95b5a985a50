// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PostFilter: the plugins for a pod that fits no node, such as preemption (upstream: RunPostFilterPlugins).

#include "cycle/dry_runs.h"
#include "model/decision.h"
#include "plugin/pending_call.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>

namespace berth::cycle {

/// What the plugins came to.
struct PostFilterResult {
    std::string message;  ///< appended to the pod's; empty after a success
    /// What status.nominatedNodeName becomes, "" to be cleared; nothing: it stays as it is.
    std::optional<std::string> nomination;
    bool failed = false;     ///< a plugin failed, with that message
    model::Victims victims;  ///< if a plugin preempts
    std::vector<model::PostFilterRecord> said;
};

/// Why no node took the pod, as plugins read it (berth_outcome).
class NodeToStatus final : plugin::GivenOutcome {
    berth_outcome view_{};
    const Search &search_;
    std::vector<std::int32_t> codes_;
    std::vector<const Filters::Rejected *> rejection_;       ///< by slot; null: it was not rejected
    std::map<std::uint32_t, std::vector<berth_str>> texts_;  ///< by id of the list
    std::vector<berth_str> absent_texts_;
    std::map<std::int32_t, std::vector<std::uint32_t>> by_code_;

    std::uint64_t reasons(std::uint32_t slot, const berth_str **texts) override;
    berth_str plugin(std::uint32_t slot) override;
    std::uint64_t slots_with(std::int32_t code, const std::uint32_t **slots) override;

public:
    /// `absent`: of the nodes that were not judged. All outlive it.
    NodeToStatus(const Search &search, const Filters &filters, const model::Status &absent);
    NodeToStatus(const NodeToStatus &) = delete;
    NodeToStatus &operator=(const NodeToStatus &) = delete;
    const berth_outcome *view() const { return &view_; }
};

/// Asks the plugins of a profile one after the other; one of them may take its time. Reusable. Loop only.
class PostFilters final : plugin::Nomination {
public:
    using OnEnd = std::function<void(PostFilterResult)>;

    explicit PostFilters(env::Clock &clock) : clock_(clock) {}

    /// `on_end` is called before this returns, or later. The search and what it refers to outlive that, and the
    /// snapshot does not change meanwhile; `filters` and `absent` say how it ended.
    void run(const Search &search, Participants active, const Filters &filters, const model::Status &absent,
             OnEnd on_end);
    /// The call that a plugin has not ended yet; nullptr: there is none.
    const plugin::PendingCall *pending_call() const;
    /// The scheduler ends: a call that a plugin has not ended is over, and nothing comes of it.
    void abandon() { calls_.clear(), run_.reset(); }
    DryRuns &dry_runs() { return dry_runs_; }
    /// The search of the current call, as long as that lasts; nullptr for another one.
    std::shared_ptr<const Search> search_of(const berth_call *call) const {
        if (!run_ || run_->search.call.call() != call) return nullptr;
        return {run_, &run_->search};
    }

private:
    struct Run {
        Search search;
        Participants active;
        NodeToStatus node_to_status;
        OnEnd on_end;
        std::size_t next = 0;  ///< the first that was not called
        PostFilterResult result{};
        std::optional<std::string> nominated{};  ///< by the current plugin
        model::Victims victims{};                ///< named by the current plugin
        std::vector<std::string> reasons{};

        Run(const Search &s, Participants a, const Filters &filters, const model::Status &absent, OnEnd fn)
            : search(s), active(std::move(a)), node_to_status(search, filters, absent), on_end(std::move(fn)) {}
    };

    void go_on();
    void completed(plugin::PendingCall &call);
    bool take(const plugin::Instance &instance, model::Status status);
    void end();
    void nominate(berth_str node) override;
    std::int32_t name_victims(const std::uint32_t *rows, std::uint64_t n, berth_str reason) override;

    env::Clock &clock_;
    DryRuns dry_runs_;
    std::shared_ptr<Run> run_;
    std::deque<plugin::PendingCall> calls_;                  ///< of the last run
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< what answers that come too late look for
};

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#include "cycle/dry_runs.h"
#include "model/look_ups.h"

#include "cycle/extensions.h"

namespace berth::cycle {

void DryRuns::begin(const Search &search, Participants active) {
    search_ = &search;
    active_ = std::move(active);
    call_.reset(search.call.call()->cycle_id, search.call.attempt_salt());
    filters_.begin(search, active_);
}

std::optional<std::string> DryRuns::end() {
    std::optional<std::string> left;
    if (open_) left = std::string(model::view(search_->nodes.name[open_->simulation.slot()]));
    open_.reset();
    search_ = nullptr;
    return left;
}

berth_trial *DryRuns::open_dry_run(const berth_call *call, const berth_state *state, const berth_pod *pod,
                                   const berth_nodes *nodes, std::uint32_t slot) {
    if (!search_ || open_ || call != search_->call.call() || state != search_->state.handle() || pod != &search_->pod ||
        nodes != &search_->nodes)
        return nullptr;
    if (slot >= nodes->slots || !(nodes->node_flags[slot] & BERTH_FLAG_NODE_EXISTS)) return nullptr;
    auto copy = search_->state.clone();
    if (!copy) return nullptr;
    open_.emplace(search_->cache, slot, std::move(copy));
    return reinterpret_cast<berth_trial *>(&*open_);
}

bool DryRuns::is_open(const berth_trial *dry_run) const {
    return open_ && !asking_ && dry_run == reinterpret_cast<const berth_trial *>(&*open_);
}

/// The search as it is within the dry run.
Search DryRuns::now() const {
    return {search_->profile, search_->pod,   *open_->state,       const_cast<plugin::CallContext &>(call_),
            search_->nodes,   search_->cache, search_->nominations};
}

template <class Fn>
plugin::DryRunner::Answer DryRuns::ask(Fn &&fn) {
    asking_ = true;
    model::Status status = fn();
    asking_ = false;
    texts_ = std::move(status.reasons);
    if (!status.error.empty()) texts_.insert(texts_.begin(), std::move(status.error));
    views_.clear();
    for (const auto &text : texts_) views_.push_back(model::to_str(text));
    return {status.code, views_};
}

plugin::DryRunner::Answer DryRuns::remove_pod(berth_trial *dry_run, std::uint32_t row) {
    if (!is_open(dry_run)) return {BERTH_STATUS_INVALID, {}};
    const berth_pods &pods = *search_->nodes.pods;
    const berth_pod *other = model::look_ups(pods).view_of(row);
    if (!other || !open_->simulation.take(row)) return {BERTH_STATUS_INVALID, {}};
    return ask(
        [&] { return run_extensions(now(), active_.extensions, Change::Removed, *other, open_->simulation.slot()); });
}

plugin::DryRunner::Answer DryRuns::add_pod(berth_trial *dry_run, std::uint32_t row) {
    if (!is_open(dry_run) || !open_->simulation.give_back(row)) return {BERTH_STATUS_INVALID, {}};
    const berth_pods &pods = *search_->nodes.pods;
    return ask([&] {
        return run_extensions(now(), active_.extensions, Change::Added, *model::look_ups(pods).view_of(row),
                              open_->simulation.slot());
    });
}

plugin::DryRunner::Answer DryRuns::filter(berth_trial *dry_run) {
    if (!is_open(dry_run)) return {BERTH_STATUS_INVALID, {}};
    return ask([&] { return filters_.judge_one(now(), open_->simulation.slot()); });
}

berth_state *DryRuns::state(const berth_trial *dry_run) { return is_open(dry_run) ? open_->state->handle() : nullptr; }

void DryRuns::close_dry_run(berth_trial *dry_run) {
    if (is_open(dry_run)) open_.reset();
}

}  // namespace berth::cycle

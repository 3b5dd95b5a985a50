// SPDX-License-Identifier: Apache-2.0
#include "cycle/dry_runs.h"

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
    if (open_) left = std::string(model::view(search_->nodes.name[open_->trial.slot()]));
    open_.reset();
    search_ = nullptr;
    return left;
}

berth_trial *DryRuns::open_trial(const berth_call *call, const berth_state *state, const berth_pod *pod,
                                 const berth_nodes *nodes, std::uint32_t slot) {
    if (!search_ || open_ || call != search_->call.call() || state != search_->state.handle() || pod != &search_->pod ||
        nodes != &search_->nodes)
        return nullptr;
    if (slot >= nodes->slots || !(nodes->node_flags[slot] & BERTH_NODE_EXISTS)) return nullptr;
    auto copy = search_->state.clone();
    if (!copy) return nullptr;
    open_.emplace(search_->cache, slot, std::move(copy));
    return reinterpret_cast<berth_trial *>(&*open_);
}

bool DryRuns::is_open(const berth_trial *trial) const {
    return open_ && !asking_ && trial == reinterpret_cast<const berth_trial *>(&*open_);
}

/// The search as it is within the trial.
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

plugin::DryRunner::Answer DryRuns::remove_pod(berth_trial *trial, std::uint32_t row) {
    if (!is_open(trial)) return {BERTH_INVALID, {}};
    const berth_pods &pods = *search_->nodes.pods;
    const berth_pod *other = pods.pod(&pods, row);
    if (!other || !open_->trial.take(row)) return {BERTH_INVALID, {}};
    return ask(
        [&] { return tell_extensions(now(), active_.extensions, Change::Removed, *other, open_->trial.slot()); });
}

plugin::DryRunner::Answer DryRuns::add_pod(berth_trial *trial, std::uint32_t row) {
    if (!is_open(trial) || !open_->trial.give_back(row)) return {BERTH_INVALID, {}};
    const berth_pods &pods = *search_->nodes.pods;
    return ask([&] {
        return tell_extensions(now(), active_.extensions, Change::Added, *pods.pod(&pods, row), open_->trial.slot());
    });
}

plugin::DryRunner::Answer DryRuns::filter(berth_trial *trial) {
    if (!is_open(trial)) return {BERTH_INVALID, {}};
    return ask([&] { return filters_.judge_one(now(), open_->trial.slot()); });
}

void DryRuns::close_trial(berth_trial *trial) {
    if (is_open(trial)) open_.reset();
}

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
// What a plugin that makes room reaches through the scheduler (<berth/service/preemption.h>).
#include "scheduler/scheduler.h"

#include <algorithm>

namespace berth {

berth_trial *Scheduler::open_trial(const berth_call *call, const berth_state *state, const berth_pod *pod,
                                   const berth_nodes *nodes, std::uint32_t slot) {
    return cycle_.post_filters().dry_runs().open(call, state, pod, nodes, slot);
}

plugin::Preemption::Answer Scheduler::remove_pod(berth_trial *trial, std::uint32_t row) {
    return cycle_.post_filters().dry_runs().remove_pod(trial, row);
}

plugin::Preemption::Answer Scheduler::add_pod(berth_trial *trial, std::uint32_t row) {
    return cycle_.post_filters().dry_runs().add_pod(trial, row);
}

plugin::Preemption::Answer Scheduler::filter(berth_trial *trial) {
    return cycle_.post_filters().dry_runs().filter(trial);
}

void Scheduler::close_trial(berth_trial *trial) { cycle_.post_filters().dry_runs().close(trial); }

bool Scheduler::narrow(const berth_call *call, std::vector<Candidate> candidates, Narrowed done) {
    return cycle_.narrow(call, std::move(candidates), std::move(done));
}

void Scheduler::visit_nominated(std::string_view node, const std::function<void(const berth_pod &)> &visit) {
    auto pods = nominations_.on(node);
    for (const auto &pod : std::vector<model::PodPtr>(pods.begin(), pods.end())) visit(pod->view);
}

bool Scheduler::remove_nomination(std::string_view uid) { return nominations_.remove(uid); }

bool Scheduler::activate(std::string_view uid) {
    auto at = std::find_if(pending_.begin(), pending_.end(), [&](const auto &pod) { return pod.second->uid() == uid; });
    if (at == pending_.end() || !responsible(*at->second)) return false;
    model::PodPtr pod = at->second;
    if (!later([this, pod] { queue_->activate(pod); })) queue_->activate(pod);
    return true;
}

bool Scheduler::cancel_pre_bind(std::string_view, std::string_view uid, std::string_view reason) {
    auto at = std::find_if(flights_.begin(), flights_.end(),
                           [&](const auto &flight) { return flight.second.binding->placement().pod->uid() == uid; });
    return at != flights_.end() && at->second.binding->cancel(reason);
}

}  // namespace berth

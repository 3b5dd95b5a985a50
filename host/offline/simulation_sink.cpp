// SPDX-License-Identifier: Apache-2.0
#include "offline/simulation_sink.h"

namespace berth::offline {

bool SimulationSink::explains(std::string_view name_space, std::string_view name) const {
    std::string_view wanted = options_.explain;
    if (auto slash = wanted.find('/'); slash != std::string_view::npos)
        return wanted.substr(0, slash) == name_space && wanted.substr(slash + 1) == name;
    return !wanted.empty() && wanted == name;
}

void SimulationSink::decision(const model::Decision &d) {
    using enum model::AttemptResult;
    log_.write(d);
    last_decisions_.add(d);
    if (d.result != Gated) ++attempts_;
    if (options_.output != Output::Table) kept_.push_back(d);
    if (explains(d.pod.name_space, d.pod.name)) explained_.push_back(d);
    auto [at, fresh] = last_.emplace(d.pod.name_space + "/" + d.pod.name, order_.size());
    if (fresh) order_.push_back({&at->first, nullptr, nullptr, d.result});
    auto &last = order_[at->second];
    last.result = d.result;
    last.node = &*nodes_.insert(d.node).first;
    auto before = std::move(last.unplaced);
    const bool failed = d.result == Unschedulable || d.result == Error;
    const bool known = before && before->uid == d.pod.uid && !before->condition.empty();
    if (d.result == Scheduled && !known) return;
    last.unplaced = std::make_unique<Unplaced>(Unplaced{d.pod.uid, d.message, {}});
    if (failed) last.unplaced->condition = d.message;
    else if (known) last.unplaced->condition = std::move(before->condition);
}

const model::Decision *SimulationSink::shadow_of(const model::Decision &d) const {
    const auto at = std::ranges::find(shadow_, d.cycle, &model::Decision::cycle);
    return at == shadow_.end() ? nullptr : &*at;
}

void SimulationSink::fill(report::Simulation &s, const sim::World &world) const {
    using enum model::AttemptResult;
    s.placements.reserve(order_.size());
    for (const auto &last : order_) {
        auto pod = world.pod(*last.key);
        if (!pod) {  // it is gone again
            s.evicted_pods += last.result == Scheduled ? 1 : 0;
            continue;
        }
        auto wait = [&](model::AttemptResult result, std::string why) {
            s.pending.push_back({{std::string(pod->name_space()), std::string(pod->name()), std::string(pod->uid())},
                                 result,
                                 std::move(why)});
        };
        if (last.result == Waiting) wait(Waiting, "waits in Permit for node " + *last.node);
        else if (last.result != Scheduled) wait(last.result, last.unplaced->message);
        else if (!pod->node_name().empty()) s.placements.push_back(std::move(pod));
        else
            wait(Waiting, "was given node " + *last.node +
                              ", but no plugin bound it there: PreBind or Bind has not ended, or Bind answered Success "
                              "without a Binding");
    }
}

std::optional<std::string> SimulationSink::condition(const model::Pod &pod) const {
    // The API server says it, when the pod is created.
    if (pod.tree->value()["spec"]["schedulingGates"].size() > 0)
        return "Scheduling is blocked due to non-empty scheduling gates";
    auto at = last_.find(pod.key());
    if (at == last_.end()) return std::nullopt;
    const auto &last = order_[at->second].unplaced;
    if (!last || last->uid != pod.uid() || last->condition.empty()) return std::nullopt;
    return last->condition;
}

}  // namespace berth::offline

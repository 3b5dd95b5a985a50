// SPDX-License-Identifier: Apache-2.0
// The checks whether a pod group may be scheduled as one, and whether it can still be placed.
#include "plugin/meter.h"
#include "scheduler/group_cycle.h"

#include <utility>

namespace berth::scheduler {
namespace {

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

/// spec.preemptionPolicy with its default.
std::string_view preemption_policy(const model::Pod &pod) {
    const auto policy = pod.tree ? model::at_pointer(pod.tree->value(), "/spec/preemptionPolicy").string() : "";
    return policy.empty() ? "PreemptLowerPriority" : policy;
}

}  // namespace

/// What is wrong with the group's pods, those with a node included; "" if they can be scheduled together.
std::string GroupCycle::fault_of_group() const {
    const model::Pod &first = *cycle_->members.front().pod->pod;
    const auto scheduler = first.scheduler_name(), policy = preemption_policy(first);
    for (const auto &member : cycle_->members)
        if (auto fault = fault_of(*member.pod->pod, scheduler, policy); !fault.empty()) return fault;
    for (const auto &pod : core_.cache.groups().scheduled(cycle_->object->key()))
        if (auto fault = fault_of(*pod, scheduler, policy); !fault.empty()) return fault;
    return {};
}

std::string GroupCycle::fault_of(const model::Pod &pod, std::string_view scheduler, std::string_view policy) const {
    const std::string all = "all pods in a single pod group should have the same ";
    if (pod.scheduler_name() != scheduler)
        return all + ".spec.schedulerName set, got: " + quoted(pod.scheduler_name()) + " and " + quoted(scheduler);
    if (pod.view.priority != cycle_->object->priority)
        return all + "priority as the pod group's priority, got " + std::to_string(pod.view.priority) + " and " +
               std::to_string(cycle_->object->priority);
    if (const auto own = preemption_policy(pod); own != policy)
        return all + "preemption policy, got " + std::string(own) + " and " + std::string(policy);
    return {};
}

/// A pod that is being deleted, or is on its way to a node already, is not tried.
void GroupCycle::leave_out_gone() {
    std::erase_if(cycle_->members, [this](const Member &member) {
        const model::Pod &pod = *member.pod->pod;
        if (!pod.terminating() && !core_.cache.is_assumed(pod.uid())) return false;
        if (core_.log && pod.terminating())
            core_.log->write(env::Severity::Info, 3, "Skip schedule deleting pod", {{"pod", pod.key()}});
        core_.queue->done(pod.uid());
        return true;
    });
}

/// Asks the plugins whether the group is placed with what is placed so far.
model::Status GroupCycle::feasible() {
    constexpr plugin::CalledPoint point = plugin::CalledPoint::PlacementFeasible;
    const plugin::Profile &profile = *cycle_->profile;
    plugin::PointTimer timer(profile, point);
    berth_pod_group group{};
    core_.cache.groups().describe(cycle_->object->name_space(), cycle_->object->name(), group);
    const std::uint64_t remaining = cycle_->members.size() - cycle_->next;
    model::Status out;
    for (const plugin::Instance *instance : profile.placement_feasible) {
        plugin::StatusSlot slot;
        auto status = plugin::counted(*instance, point, 1, [&] {
            instance->placement_feasible->placement_feasible(instance->self, cycle_->call.call(), &group, remaining,
                                                             cycle_->scheduled, slot.raw());
        });
        cycle_->call.free_scratch();
        if (status.success()) status = slot.take(*instance, point);
        if (status.success()) continue;
        out = std::move(status);
        if (out.code == BERTH_STATUS_WAIT) continue;
        if (out.code != BERTH_STATUS_UNSCHEDULABLE) {
            const auto why = out.code == BERTH_STATUS_ERROR
                                 ? "running PlacementFeasible plugin: " + out.message()
                                 : "unexpected status from PlacementFeasible plugin: " + model::code_name(out.code);
            out = {.code = BERTH_STATUS_ERROR,
                   .error = "failed to evaluate placement feasibility: " + why,
                   .reasons = {},
                   .plugin = instance->name};
        }
        break;
    }
    timer.end(out.code);
    return out;
}

}  // namespace berth::scheduler

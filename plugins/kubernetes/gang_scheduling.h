// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreEnqueue, PlacementFeasible and Permit: the pods of a gang are placed together or not at all.

#include <berth/plugin.hpp>

#include <array>
#include <chrono>
#include <string>
#include <string_view>

namespace kubernetes {

/// The pods of a PodGroup with a gang are scheduled together or not at all (kube-scheduler v1.37.2, gangscheduling.go):
/// they wait at PreEnqueue until there are enough of them, a cycle of the group places that many, and at Permit each
/// waits for the others. CompositePodGroups are not read.
class GangScheduling {
    static constexpr std::chrono::minutes longest_wait{5};
    static constexpr const char *group_of_events = "scheduling.k8s.io/PodGroup";

    const berth::Host &host_;

    static std::string_view group_of(berth::Pod pod) { return pod.at("/spec/schedulingGroup/podGroupName").string(); }

    static std::int64_t min_count(const berth::Object &group) {
        return group.at("/spec/schedulingPolicy/gang/minCount").integer().value_or(0);
    }

public:
    static constexpr const char *description = "Schedules the pods of a gang together or not at all";

    static constexpr std::array watches{"scheduling.k8s.io/v1beta1/podgroups"};

    explicit GangScheduling(const berth::Host &host) : host_(host) {}

    void declare(berth::Declare to) const { to.watch("scheduling.k8s.io", "v1beta1", "podgroups"); }

    berth::Verdict pre_enqueue(berth::Pod pod) const {
        const auto name = group_of(pod);
        if (name.empty()) return berth::ok;
        berth_pod_group raw;
        const bool known = host_.find_pod_group(pod.name_space(), name, raw);
        const berth::PodGroup group(&raw, &host_);
        if (!known || !group.exists())
            return berth::unresolvable("waiting for pods's pod group \"" + std::string(name) +
                                       "\" to appear in scheduling queue");
        if (!group.is_gang() || group.pods() >= group.min_count()) return berth::ok;
        return berth::unresolvable("waiting for minCount pods from a gang to appear in scheduling queue");
    }

    void events(berth::Events on) const {
        on.add_hinted(BERTH_RESOURCE_UNSCHEDULED_POD, BERTH_EVENT_ADD);
        on.add_hinted("AssignedPod", BERTH_EVENT_ADD);
        on.add_hinted(group_of_events, BERTH_EVENT_ADD);
        on.add_hinted(group_of_events, BERTH_EVENT_UPDATE);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        const auto name = group_of(pod);
        if (name.empty()) return berth::Hint::Skip;
        if (const auto added = event.new_pod())
            return group_of(*added) == name && added->name_space() == pod.name_space() ? berth::Hint::Queue
                                                                                       : berth::Hint::Skip;
        const auto now = event.new_object(), before = event.old_object();
        if (!now || now.name() != name || now.name_space() != pod.name_space()) return berth::Hint::Skip;
        if (!before) return berth::Hint::Queue;
        const auto least = min_count(now), least_before = min_count(before);
        return least > 0 && least < least_before ? berth::Hint::Queue : berth::Hint::Skip;
    }

    berth::Verdict placement_feasible(berth::PodGroup group, std::uint64_t remaining, std::uint64_t scheduled) const {
        const auto least = group.min_count();
        if (scheduled >= least) return berth::ok;
        const std::string begin = "minCount (" + std::to_string(least) + ") ";
        const std::string end =
            ": " + std::to_string(scheduled) + " scheduled, " + std::to_string(remaining) + " remaining";
        if (remaining + scheduled < least) return berth::unschedulable(begin + "cannot be satisfied" + end);
        return berth::not_yet(begin + "is not yet satisfied" + end);
    }

    berth::Permit permit(berth::Pod pod, std::string_view) const {
        const auto name = group_of(pod);
        if (name.empty()) return berth::ok;
        const auto name_space = pod.name_space();
        berth_pod_group raw;
        const bool known = host_.find_pod_group(name_space, name, raw);
        const berth::PodGroup group(&raw, &host_);
        if (!known || !group.exists())
            return berth::error("failed to get podGroup " + std::string(name_space) + "/" + std::string(name) +
                                ": podgroup.scheduling.k8s.io \"" + std::string(name) + "\" not found");
        if (!group.is_gang()) return berth::ok;
        if (group.scheduled() < group.min_count()) {
            // They may have been waiting for this pod. The first one brings its whole group along.
            host_.each_of_group(name_space, name, BERTH_GROUP_UNSCHEDULED,
                                [this](std::string_view uid) { return !host_.activate(uid); });
            return berth::Permit::wait(longest_wait);
        }
        host_.each_of_group(name_space, name, BERTH_GROUP_ASSUMED,
                            [this](std::string_view uid) { host_.allow_waiting(uid); });
        return berth::ok;
    }
};

}  // namespace kubernetes

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Cluster events: resource and action, as plugins register for them (upstream: ClusterEvent, v1.36.3).

#include "model/any_object.h"
#include "model/node.h"

#include <berth/point/queue.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::queue {

/// Resources of an event, as plugins name them.
inline constexpr std::string_view resource_pod = "Pod";  ///< an unscheduled one; registered, it means any pod
inline constexpr std::string_view resource_assigned_pod = "AssignedPod";
inline constexpr std::string_view resource_unscheduled_pod = "UnscheduledPod";  ///< only that such a pod is new
inline constexpr std::string_view resource_node = "Node";
inline constexpr std::string_view resource_any = "*";

struct Event {
    std::string_view resource;
    std::uint64_t action =
        0;  ///< one BERTH_EVENT_… action, or BERTH_EVENT_UPDATE for an update without a facet of its own
    model::PodPtr old_pod, new_pod;
    model::NodePtr old_node, new_node;
    std::string_view name{};                   ///< of one that is not something in the cluster; lives for ever
    model::AnyPtr old_object{}, new_object{};  ///< of any other kind

    /// Moves pods without asking anyone, as the flush of pods that waited too long does; with a pod, only that one.
    bool wildcard() const { return resource == resource_any && action == BERTH_EVENT_ALL; }
};

// What brings a pod into a queue beside events of the cluster, as metrics name it.
inline constexpr std::string_view attempt_failed = "ScheduleAttemptFailure";
inline constexpr std::string_view backoff_complete = "BackoffComplete";
inline constexpr std::string_view popped_from_backoff = "PopFromBackoffQ";
inline constexpr std::string_view force_activate = "ForceActivate";
inline constexpr std::string_view configuration_changed = "ConfigurationChanged";  ///< upstream is started anew
inline constexpr std::string_view unschedulable_timeout = "UnschedulableTimeout";

/// The event as metrics name it: `NodeAdd`, `AssignedPodUpdatePodLabel`; of a pod that waits `UnschedulablePodUpdate`,
/// or with `target_pods` `TargetPodUpdate`.
std::string label(const Event &event, bool target_pods);

/// The names of the actions of an interest, as in `Add` and `UpdateNodeLabel`; `All` and `Update` for all of their
/// kind.
std::vector<std::string_view> action_names(std::uint64_t actions);

/// Does an interest in `actions` of `resource` cover the event? It does if it has all of the event's bits: one in any
/// update covers updates that this version has no name for, one in label changes no update of unknown kind.
bool matches(std::string_view resource, std::uint64_t actions, const Event &event);

/// Actions beside those of the ABI. A plugin that asks for any update is woken by them.
inline constexpr std::uint64_t update_pod_scale_up = UINT64_C(1) << 13;
inline constexpr std::uint64_t update_node_preemption_policy = UINT64_C(1) << 14;

/// One event per changed facet of a node; none if nothing changed that a scheduler cares for. Some facets are known
/// with `more_facets` only.
std::vector<Event> node_events(const model::NodePtr &before, const model::NodePtr &after, bool more_facets);

/// One event per changed facet of a pod, or one plain update. Of an assigned pod if `after` has a node.
std::vector<Event> pod_events(const model::PodPtr &before, const model::PodPtr &after, bool more_facets);

Event pod_event(const model::Pod &of, std::uint64_t action, model::PodPtr before, model::PodPtr after);
Event node_event(std::uint64_t action, model::NodePtr before, model::NodePtr after);
/// Of any other kind; `resource` (model::Kind::event_resource) outlives the event. Updates have no facets.
Event object_event(std::string_view resource, model::AnyPtr before, model::AnyPtr after);

}  // namespace berth::queue

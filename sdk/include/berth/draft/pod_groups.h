/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Pod groups: the PodGroup and its pods in the cluster, and when a group cannot be placed any more.
 */
#ifndef BERTH_DRAFT_POD_GROUPS_H
#define BERTH_DRAFT_POD_GROUPS_H

#include <berth/host.h>
#include <berth/view/object.h>

#define BERTH_PLUGIN_PLACEMENT_FEASIBLE_DRAFT1 "berth.placement_feasible/draft1"
#define BERTH_HOST_POD_GROUPS_DRAFT1 "berth.host.pod_groups/draft1"

/** A further `resource` for add_event of berth.host.sinks/1. Its event has the action BERTH_EVENT_ADD and says that a
 * pod without a node was added. Without the feature gate GenericWorkload there is no such event. */
#define BERTH_RESOURCE_UNSCHEDULED_POD "UnscheduledPod"

/* Which pods of a group a visit goes to. */
#define BERTH_GROUP_UNSCHEDULED 1u  /**< have no node */
#define BERTH_GROUP_ASSUMED 2u      /**< have a node, but are not bound yet */
#define BERTH_GROUP_ASSIGNED 4u     /**< are bound */
#define BERTH_GROUP_ANY 0xffffffffu /**< all, also in states that a later host adds */

/** A PodGroup and the pods whose spec.schedulingGroup names it. The host sets struct_size; fields are only appended. */
typedef struct berth_pod_group {
    uint32_t struct_size;
    uint32_t flags;
    const berth_object *obj; /**< the PodGroup; NULL: there is none of that name, and min_count is 0 */
    berth_str namespace_, name;
    int64_t min_count; /**< of a gang, 1 or more; 0: the policy is basic */
    uint64_t pods;     /**< that the scheduler knows: without a node, assumed and assigned */
    uint64_t assumed, assigned;
} berth_pod_group;

/** Offered by every host that schedules pod groups. */
typedef struct berth_host_pod_groups {
    uint32_t struct_size;
    uint32_t flags;
    /** Fills in `out`, whose struct_size the caller sets, for the group of that name. BERTH_STATUS_SUCCESS;
     * BERTH_STATUS_NOT_FOUND if there is neither such a PodGroup nor a pod that names it.
     * Owner: the host's, until the plugin's call ends. Thread: loop. */
    int32_t (*get)(const berth_host *host, berth_str namespace_, berth_str name, berth_pod_group *out); /* [loop] */
    /** Calls `visit(ctx, uid)` for each pod of the group that is in one of the states `which` (BERTH_GROUP_… bits), in
     * the order of their UIDs, until `visit` returns 0. That callback may allow and activate pods. Thread: loop. */
    void (*visit)(const berth_host *host, berth_str namespace_, berth_str name, uint32_t which,
                  int32_t (*visit)(void *ctx, berth_str uid), void *ctx); /* [loop] */
} berth_host_pod_groups;

/** For a plugin that knows when a pod group can still be placed. */
typedef struct berth_plugin_placement_feasible {
    uint32_t struct_size;
    uint32_t flags;
    /** Whether the group is placed when `scheduled` of its pods have a node, those of this cycle included, and
     * `remaining` were not tried yet. BERTH_STATUS_SUCCESS: it is; BERTH_STATUS_WAIT: not yet, but it can be if the
     * remaining pods get nodes; BERTH_STATUS_UNSCHEDULABLE: it cannot be, even if all remaining pods get nodes. Any
     * other code is an error.
     * Host: asks before the first pod of a group and after each one. UNSCHEDULABLE ends the cycle, an error fails it.
     * Owner: everything is the host's, until return. Thread: loop, must not block. */
    void (*placement_feasible)(void *self, const berth_call *call, const berth_pod_group *group, uint64_t remaining,
                               uint64_t scheduled, berth_status *status); /* [loop] */
} berth_plugin_placement_feasible;

#endif /* BERTH_DRAFT_POD_GROUPS_H */

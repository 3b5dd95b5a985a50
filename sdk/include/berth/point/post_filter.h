/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The extension point PostFilter, for a pod that fits no node.
 */
#ifndef BERTH_POINT_POST_FILTER_H
#define BERTH_POINT_POST_FILTER_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_PLUGIN_POST_FILTER_V1 "berth.post_filter/1"

/** Why no node took the pod; berth.host.call/1 has the details. Lives as the call's other inputs do. */
typedef struct berth_outcome {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t handle; /**< the host's */
    /** One code for each slot of the call's nodes: that of the plugin that rejected the node, or absent_code if no
     * Filter judged the node. Meaningless for an empty slot. */
    const int32_t *code;
    /** The code of the nodes that no Filter judged, because PreFilter excluded them or rejected the pod. */
    int32_t absent_code;
    uint32_t reserved;
} berth_outcome;

/** What PostFilter decides about the pod's nomination. Opaque: see nominate of berth.host.call/1. */
typedef struct berth_nomination berth_nomination;

typedef struct berth_plugin_post_filter {
    uint32_t struct_size;
    uint32_t flags;
    /** Called when no node took `pod`; may make room for it. Answers in `status`, or IN_PROGRESS and later by `done`.
     * Owner: everything is the host's; until return or, after IN_PROGRESS, until done. No pod is scheduled meanwhile,
     * and the snapshot does not change. After IN_PROGRESS the inputs may be read on the loop only. A plugin whose other
     * thread needs them copies them before it returns: when the scheduler ends, the host frees them before the call is
     * done. Thread: loop, must not block.
     * Host: plugins are asked in order until one answers SUCCESS (room will be made), an error or
     * UNSCHEDULABLE_AND_UNRESOLVABLE; UNSCHEDULABLE and PENDING ask the next one. The texts are appended to the pod's
     * message; the pod stays unschedulable in any case, and waits for an event. */
    void (*post_filter)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                        const berth_nodes *nodes, const berth_outcome *outcome, berth_nomination *nomination,
                        berth_status *status, const berth_done *done); /* [loop] */
} berth_plugin_post_filter;

#endif /* BERTH_POINT_POST_FILTER_H */

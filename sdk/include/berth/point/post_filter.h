/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * PostFilter: what to do for a pod that fits no node.
 */
#ifndef BERTH_POINT_POST_FILTER_H
#define BERTH_POINT_POST_FILTER_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_POST_FILTER_V1 "berth.post_filter/1"

/** Why no node took the pod. Lives as the call's other inputs do. */
typedef struct berth_outcome {
    uint32_t struct_size;
    uint32_t flags;
    void *ctx;
    /** Per slot, `slots` of the call's nodes: the code of the plugin that rejected the node; for a node that was not
     * judged, absent_code. Meaningless for an empty slot. */
    const int32_t *code;
    /** Of the nodes that were not judged: PreFilter excluded them, or rejected the pod outright. */
    int32_t absent_code;
    uint32_t reserved;
    /** The reasons for `slot`; returns how many. Live as the outcome does. Thread: loop. */
    uint64_t (*reasons)(const struct berth_outcome *outcome, uint32_t slot, const berth_str **texts);
    /** The name of the plugin that rejected `slot`, empty for a node that was not judged. Thread: loop. */
    berth_str (*plugin)(const struct berth_outcome *outcome, uint32_t slot);
    /** The slots of that code, in the snapshot's visiting order; returns how many. Live as the outcome does.
     * Thread: loop. */
    uint64_t (*slots_with)(const struct berth_outcome *outcome, int32_t code, const uint32_t **slots);
} berth_outcome;

/** What PostFilter wants of the pod's nomination. */
typedef struct berth_nomination {
    uint32_t struct_size;
    uint32_t flags;
    void *ctx;
    /** status.nominatedNodeName becomes `node`; an empty one clears it. Not called: it stays as it is. Copied.
     * Thread: loop. */
    void (*nominate)(void *ctx, berth_str node);
} berth_nomination;

typedef struct berth_post_filter {
    uint32_t struct_size;
    uint32_t flags;
    /** No node took `pod`: may make room for it. Answers in `status`, or IN_PROGRESS and later by `done`.
     * Owner: everything is the host's; until return or, after IN_PROGRESS, until done. No pod is scheduled meanwhile,
     * and the snapshot does not change. Thread: loop, must not block.
     * Host: plugins are asked in order until one answers SUCCESS (room will be made), an error or
     * UNSCHEDULABLE_AND_UNRESOLVABLE; UNSCHEDULABLE asks the next one. The texts are appended to the pod's message;
     * the pod stays unschedulable in any case, and waits for an event. */
    void (*post_filter)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                        const berth_nodes *nodes, const berth_outcome *outcome, const berth_nomination *nomination,
                        berth_status *status, const berth_done *done) BERTH_LOOP;
} berth_post_filter;

#endif /* BERTH_POINT_POST_FILTER_H */

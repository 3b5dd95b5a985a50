/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Pending pods: what waits in the scheduling queue, where, and which plugins rejected it.
 */
#ifndef BERTH_DRAFT_PENDING_PODS_H
#define BERTH_DRAFT_PENDING_PODS_H

#include <berth/host.h>
#include <berth/view/pod.h>

#define BERTH_HOST_PENDING_PODS_DRAFT1 "berth.host.pending_pods/draft1"

/* Places of a pending pod. A pod of a pod group is where its group is. */
#define BERTH_PENDING_ACTIVE 1u        /**< ready: the host tries it when its turn comes */
#define BERTH_PENDING_BACKOFF 2u       /**< it waits after a failed attempt, less if no pod is active */
#define BERTH_PENDING_UNSCHEDULABLE 4u /**< plugins rejected it; it waits for an event that may help */
#define BERTH_PENDING_GATED 8u         /**< a PreEnqueue plugin does not let it, or a pod of its group, in */
#define BERTH_PENDING_GROUP 16u        /**< its PodGroup is not known, or its group is being tried */
#define BERTH_PENDING_ANY 0xffffffffu  /**< wherever, also in places that a later host adds */
/* The host tries the pods of a group together. Meanwhile only those are in GROUP that came, or came back rejected; the
 * others are being tried. */

/** A pending pod. The host sets struct_size; fields are only appended. Lives until `visit` returns. */
typedef struct berth_pending_pod {
    uint32_t struct_size;
    uint32_t flags;
    const berth_pod *pod; /**< with its attempts and its times in the queue */
    uint32_t place;       /**< one of BERTH_PENDING_… */
    /** Of a pod that waits as one of a group: the priority by which the host sorts the group; 0 if its PodGroup is not
     * known, and of other pods. */
    int32_t group_priority;
    /** The plugins that last rejected it, sorted by name, as the configuration names them; of a GATED pod only the one
     * whose PreEnqueue keeps it out. "Extender" stands for the extenders. A gate that has opened stays until the next
     * attempt. None: none is on record, as of a new pod, but also after an attempt that broke and after a reload. */
    const berth_str *plugins;
    uint64_t plugins_len;
    /** Of a pod in BACKOFF: when it becomes active at the latest, in nanoseconds since the epoch; else 0. When no pod
     * is active, the host takes a pod in BACKOFF early, unless its attempt broke. */
    int64_t backoff_end_ns;
    berth_str group; /**< name of its PodGroup, in its namespace, if it waits as one of a group; else empty */
} berth_pending_pod;

/** The pods of all profiles that wait in the queue. A pod that is being tried does not wait, nor does the pod of a dry
 * run, nor one that has a node: for those that wait in Permit see berth.host.waiting_pods/1. While PostFilter or an
 * extender is called, the host keeps events for later, so a pod that was deleted meanwhile is still shown.
 *
 * Call these functions on the loop, in callbacks (of timers, requests, tasks, subscriptions) and within calls of the
 * plugin from PreFilter to PostBind that come on the loop, PlacementFeasible among them. Do not call them at create and
 * destroy, in a task and on a thread of the plugin; nor in PreEnqueue, QueueSort and `hint`, which the host calls while
 * it changes the queue: there they return BERTH_STATUS_INVALID. Do not call them in Filter, Score, AddPod and RemovePod
 * either, which may run on several threads, nor in Sign, Prepare and Remedy, whose answers must not depend on what is
 * pending. The host does not look for that; the strict checks do so for the first four.
 *
 * What is pending changes without an event: a plugin whose Filter or Score depends on it must not sign. */
typedef struct berth_host_pending_pods {
    uint32_t struct_size;
    uint32_t flags;
    /** Stores in `*n` how many pods are in one of the `places` (BERTH_PENDING_…, or'ed). Returns BERTH_STATUS_SUCCESS;
     * BERTH_STATUS_INVALID without `n`, for no place that it knows, and where it must not be called (see above):
     * then `*n` is 0. The host has counters: it looks at no pod. Thread: loop. */
    int32_t (*count)(const berth_host *host, uint32_t places, uint64_t *n); /* [loop] */
    /** Calls `visit(ctx, pod)` for the pods in one of the `places`, until it returns 0. The active ones come first, and
     * the first of them is the next to be tried, unless another pod becomes active before; apart from that the order
     * means nothing, but a replay has the same. The host does not copy the queue: a visit looks at the pods that it
     * shows, and at no others.
     * `visit` must not activate a pod: collect the UIDs, and activate the pods afterwards.
     * Returns BERTH_STATUS_SUCCESS, also if `visit` ended it; BERTH_STATUS_CANCELLED if `visit` has activated a pod at
     * once, which ends the visit; BERTH_STATUS_INVALID without a function, for no place that it knows, and where it
     * must not be called (see above). Owner: everything is the host's, until `visit` returns. Thread: loop. */
    int32_t (*visit)(const berth_host *host, uint32_t places, int32_t (*visit)(void *ctx, const berth_pending_pod *pod),
                     void *ctx); /* [loop] */
    /** Stores in `*version` a number that says whether anything has changed: as long as it is the same, so is all that
     * `count` and `visit` show. Another number may mean the same pods. Returns BERTH_STATUS_SUCCESS;
     * BERTH_STATUS_INVALID without `version`, and where it must not be called (see above): then `*version` is 0.
     * Thread: loop. */
    int32_t (*version)(const berth_host *host, uint64_t *version); /* [loop] */
} berth_host_pending_pods;

#endif /* BERTH_DRAFT_PENDING_PODS_H */

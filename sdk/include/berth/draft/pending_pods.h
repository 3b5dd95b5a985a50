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
#define BERTH_PENDING_ACTIVE 1u        /**< ready: the host tries it as soon as its turn comes */
#define BERTH_PENDING_BACKOFF 2u       /**< an attempt failed; the next one has to wait a while */
#define BERTH_PENDING_UNSCHEDULABLE 4u /**< plugins rejected it; it waits for an event that may help */
#define BERTH_PENDING_GATED 8u         /**< a PreEnqueue plugin does not let it, or a pod of its group, in */
#define BERTH_PENDING_GROUP 16u        /**< its PodGroup is not known, or its group is being tried */

/** A pending pod. The host sets struct_size; fields are only appended. Lives until `visit` returns. */
typedef struct berth_pending_pod {
    uint32_t struct_size;
    uint32_t flags;
    const berth_pod *pod; /**< with its attempts and its times in the queue */
    uint32_t place;       /**< one of BERTH_PENDING_… */
    uint32_t reserved;
    /** The plugins that last rejected it, sorted by name, as the configuration names them; of a GATED pod only the one
     * whose PreEnqueue keeps it out. "Extender" stands for the extenders. None: no plugin has rejected it. */
    const berth_str *plugins;
    uint64_t plugins_len;
    int64_t backoff_end_ns; /**< of a pod in BACKOFF: when that ends, in nanoseconds since the epoch; else 0 */
} berth_pending_pod;

/** The pods of all profiles that wait in the queue. A pod that is being tried does not wait, nor does one that has a
 * node: for those that wait in Permit see berth.host.waiting_pods/1.
 *
 * Call these functions on the loop, in callbacks (of timers, requests, tasks, subscriptions) and within calls of the
 * plugin from PreFilter to PostBind that come on the loop. Do not call them at create, nor once the instance is about
 * to end; nor in PreEnqueue, QueueSort and `hint`, which the host calls while it changes the queue; nor in Filter,
 * Score, AddPod and RemovePod, which may run on several threads.
 *
 * What is pending changes without an event: a plugin whose Filter or Score depends on it must not sign. */
typedef struct berth_host_pending_pods {
    uint32_t struct_size;
    uint32_t flags;
    /** Stores in `*n` how many pods are in one of the `places` (BERTH_PENDING_…, or'ed). Returns BERTH_STATUS_SUCCESS;
     * BERTH_STATUS_INVALID without `n`, for no place or an unknown one, and where it must not be called: then `*n` is
     * 0. Thread: loop. */
    int32_t (*count)(const berth_host *host, uint32_t places, uint64_t *n); /* [loop] */
    /** Calls `visit(ctx, pod)` for the pods in one of the `places`, until it returns 0. The active ones come first, and
     * the first of them is the next to be tried; apart from that the order means nothing, but a replay has the same.
     * The host does not copy the queue: a visit that ends early costs little, however many pods wait.
     * `visit` must not change the queue, so it must not activate, allow, reject or preempt a pod, or complete a call:
     * collect the UIDs, and do so afterwards.
     * Returns BERTH_STATUS_SUCCESS, also if `visit` ended it; BERTH_STATUS_CANCELLED if `visit` has changed the queue,
     * which ends the visit; BERTH_STATUS_INVALID without a function, for no place or an unknown one, and where it must
     * not be called. Owner: everything is the host's, until `visit` returns. Thread: loop. */
    int32_t (*visit)(const berth_host *host, uint32_t places, int32_t (*visit)(void *ctx, const berth_pending_pod *pod),
                     void *ctx); /* [loop] */
} berth_host_pending_pods;

#endif /* BERTH_DRAFT_PENDING_PODS_H */

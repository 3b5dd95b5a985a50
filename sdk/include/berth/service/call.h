/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Services of the present call: reasons and errors, scratch memory, inputs of one extension point.
 */
#ifndef BERTH_SERVICE_CALL_H
#define BERTH_SERVICE_CALL_H

#include <berth/point/filter.h>
#include <berth/point/post_filter.h>

#define BERTH_HOST_CALL_V1 "berth.host.call/1"

/** Every host has it. Unless it is said otherwise: Thread: that of the call. */
typedef struct berth_host_call {
    uint32_t struct_size;
    uint32_t flags;
    /** Sets the text of an error. Copied at once. Thread: that of the call; for `done->status`, any one. */
    void (*set_error)(const berth_host *host, berth_status *status, berth_str text); /* [par], of berth_done [any] */
    /** Sets the reasons of a rejection, replacing earlier ones. Copied at once. Thread: as `set_error`. */
    void (*set_reasons)(const berth_host *host, berth_status *status, const berth_str *reasons,
                        uint64_t n); /* [par], of berth_done [any] */
    /** Ends a call that earlier answered BERTH_STATUS_IN_PROGRESS. The result is in `status`, which must be
     * `done->status`. `done` is
     * gone when this returns. Any thread. */
    void (*complete)(const berth_host *host, const berth_done *done, berth_status *status); /* [any] */
    /** Interns a *list* of reasons and returns its id, to be written into reasons[] of a Filter call. Equal lists give
     * equal ids; an empty list gives BERTH_NO_REASONS. Valid within this pod's attempt. The texts are copied. */
    uint32_t (*intern_reasons)(const berth_host *host, const berth_call *call, const berth_str *texts,
                               uint64_t n); /* [par] */
    /** Memory that is freed when the call has returned or, after BERTH_STATUS_IN_PROGRESS, when it has ended. `align`
     * is a power of two up to 64. NULL if there is not that much memory, or `align` is anything else. */
    void *(*scratch)(const berth_host *host, const berth_call *call, uint64_t size, uint64_t align); /* [par] */
    /** Narrows the nodes that a pod is tried on, in PreFilter. One call of this or of restrict_names, even with an
     * empty list, limits the pod to the given nodes; further calls in the same PreFilter add nodes to these. A slot
     * without a node fails the attempt. Thread: loop. */
    void (*restrict_slots)(const berth_host *host, berth_restrict *restrict_, const uint32_t *slots,
                           uint64_t n); /* [loop] */
    /** The same by name. A name may also be that of a node which the snapshot lacks. If only such nodes are left, the
     * message for the user differs from that for an empty list. Thread: loop. */
    void (*restrict_names)(const berth_host *host, berth_restrict *restrict_, const berth_str *names,
                           uint64_t n); /* [loop] */
    /** The reasons for `slot`; returns how many. They live as long as the outcome. Thread: loop. */
    uint64_t (*outcome_reasons)(const berth_host *host, const berth_outcome *outcome, uint32_t slot,
                                const berth_str **texts); /* [loop] */
    /** The name of the plugin that rejected `slot`, empty for a node that was not judged. Thread: loop. */
    berth_str (*outcome_plugin)(const berth_host *host, const berth_outcome *outcome, uint32_t slot); /* [loop] */
    /** The slots of the nodes with that code, in the snapshot's visiting order; returns how many. They live as long as
     * the outcome.
     * Thread: loop. */
    uint64_t (*outcome_slots)(const berth_host *host, const berth_outcome *outcome, int32_t code,
                              const uint32_t **slots); /* [loop] */
    /** In PostFilter: status.nominatedNodeName becomes `node`; an empty one clears it. Not called: it stays as it is.
     * If the snapshot does not have the node, the plugin's answer counts as an error. Copied. Thread: loop. */
    void (*nominate)(const berth_host *host, berth_nomination *nomination, berth_str node); /* [loop] */
} berth_host_call;

#endif /* BERTH_SERVICE_CALL_H */

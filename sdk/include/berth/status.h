/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * A plugin's status (codes, berth_status), the call that it is in (berth_call), and a later answer (berth_done). Their
 * functions are those of berth.host.call/1.
 */
#ifndef BERTH_STATUS_H
#define BERTH_STATUS_H

#include <berth/text.h>

/* NOLINTBEGIN(bugprone-sizeof-expression): of a field that is a pointer, the pointer is meant */
/** True if the struct that `p` points to was made by a side that knew `field`. */
#define BERTH_HAS(p, field) \
    ((p)->struct_size >= (uint64_t)((const char *)&(p)->field - (const char *)(p)) + sizeof((p)->field))
/** The value of `field`, or `absent` if the side that made the struct did not know `field`. */
#define BERTH_GET(p, field, absent) (BERTH_HAS(p, field) ? (p)->field : (absent))
/* NOLINTEND(bugprone-sizeof-expression): of a field that is a pointer, the pointer is meant */

/** Bits of any struct's `flags` that a reader must understand. If one of these bits is set and the reader does not know
 * the bit, the reader refuses the struct, and its error names the bit. */
#define BERTH_FLAG_MUST_UNDERSTAND 0xffff0000u

/* Codes of an answer: 0 to 6 are the scheduling framework's own, in its order; below 0 are the ABI's. Of the codes
 * below 0 a plugin may answer IN_PROGRESS where it is given a berth_done, and CANCELLED and NO_MEMORY anywhere.
 * CANCELLED and NO_MEMORY count as BERTH_STATUS_ERROR. So does every other code outside 0 to 6; the host also logs such
 * a code, with its number, as misbehaviour. */
#define BERTH_STATUS_SUCCESS 0
#define BERTH_STATUS_ERROR 1                          /**< something broke: the pod's attempt fails and is retried */
#define BERTH_STATUS_UNSCHEDULABLE 2                  /**< no, and evicting pods might help */
#define BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE 3 /**< no, and evicting pods would not help */
#define BERTH_STATUS_WAIT 4                           /**< Permit only: hold the pod */
#define BERTH_STATUS_SKIP 5                           /**< this plugin has nothing to say for this pod */
#define BERTH_STATUS_PENDING 6                        /**< no, until somebody else has acted */
#define BERTH_STATUS_NOT_EVALUATED (-1)               /**< what the host fills code[] with before a Filter call */
#define BERTH_STATUS_IN_PROGRESS (-2)                 /**< the answer comes by berth_done */
#define BERTH_STATUS_INVALID (-3)                     /**< an argument is not valid for this function */
#define BERTH_STATUS_UNSUPPORTED (-4)                 /**< this host, or this instance, does not do that */
#define BERTH_STATUS_NOT_FOUND (-5)                   /**< there is none, or none any more */
#define BERTH_STATUS_CANCELLED (-6)                   /**< the work was cancelled: it was not done, or not completely */
#define BERTH_STATUS_NO_MEMORY (-7)                   /**< there is not enough memory for it */
#define BERTH_STATUS_LIMIT_EXCEEDED (-8)              /**< more than the host allows: ask for less */
#define BERTH_STATUS_BUSY (-9) /**< not now, because too much of this is under way: try again later */

/** Where a plugin stores its answer. The host allocates it and passes it in as BERTH_STATUS_SUCCESS without texts,
 * which are set by set_error and set_reasons of berth.host.call/1. */
typedef struct berth_status {
    uint32_t struct_size;
    uint32_t flags;
    int32_t code; /**< the plugin writes one of the codes above */
    uint32_t reserved;
    uint64_t handle; /**< the host's */
} berth_status;

/** What a plugin knows of the call it is in. Lives until the call returns; after BERTH_STATUS_IN_PROGRESS, as long
 * as the berth_done. */
typedef struct berth_call {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t handle;        /**< the host's */
    uint64_t cycle_id;      /**< the scheduling attempt's number; 0 outside one */
    const uint32_t *cancel; /**< the number becomes non-zero when the answer is no longer needed. NULL: the host never
                               cancels this call. Read it with berth_cancelled() */
} berth_call;

/** The id of the empty list of reasons. */
#define BERTH_NO_REASONS 0u

/** True once the answer is no longer needed: then return, and write nothing for the rest of a batch. Call this at least
 * every 64 slots. */
static inline int berth_cancelled(const berth_call *call) {
#if defined(__GNUC__)
    return call->cancel != NULL && __atomic_load_n(call->cancel, __ATOMIC_RELAXED) != 0;
#else
    return call->cancel != NULL && *(const volatile uint32_t *)call->cancel != 0;
#endif
}

/** A call that answered BERTH_STATUS_IN_PROGRESS. The plugin ends it exactly once, on any thread, with `complete` of
 * berth.host.call/1; this struct lives until then. When the scheduler ends, the host first cancels whatever the
 * instance waits for
 * (timers, requests and so on); the callbacks may end the call. If the call has not ended after that, the host cancels
 * it (berth_cancelled). The plugin must still end it, at the latest in berth_plugin.destroy; `complete` then does
 * nothing. After that cancellation the plugin may still read this struct and the berth_call, until destroy has
 * returned, but must not pass them to another service. Everything else that the call was given no longer exists. */
typedef struct berth_done {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t handle;      /**< the host's */
    berth_status *status; /**< a fresh status to fill in, by the thread that calls `complete`; the host's */
} berth_done;

#endif /* BERTH_STATUS_H */

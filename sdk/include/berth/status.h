/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * What a plugin answers (codes, berth_status), what it is told about the call it is in (berth_call), and how an answer
 * that comes later is given (berth_done).
 */
#ifndef BERTH_STATUS_H
#define BERTH_STATUS_H

#include <berth/text.h>

/* Thread tags. They expand to nothing: they are for readers, the documentation and the strict checks.
 *   BERTH_LOOP  called on the one thread that owns cache, queue and cycle; must not block
 *   BERTH_PAR   called on several threads at once, with disjoint slots; `self` is read-only meanwhile
 *   BERTH_BIND  started on the loop, returns at once; what takes time ends in a berth_done
 *   BERTH_ANY   any thread
 *   BERTH_TASK  called in the background, with its own data or data that it locks: of the services it may use those
 *               tagged "any thread", and of the cluster's objects those that the plugin retained
 *   BERTH_CREATE called while a profile is being built or torn down, before its first or after its last call */
#define BERTH_LOOP
#define BERTH_PAR
#define BERTH_BIND
#define BERTH_ANY
#define BERTH_TASK
#define BERTH_CREATE

/** True if the struct that `p` points to was made by somebody who knew `field`. */
#define BERTH_HAS(p, field) \
    ((p)->struct_size >= (uint64_t)((const char *)&(p)->field - (const char *)(p)) + sizeof((p)->field))

/** Bits of any struct's `flags` that a reader must understand: an unknown one that is set is refused, by name. */
#define BERTH_FLAGS_MUST_UNDERSTAND 0xffff0000u

/* Codes of an answer: 0 to 6 are the scheduling framework's own, in its order; below 0 are the ABI's. A code that is
 * not listed counts as BERTH_ERROR and is logged with its number. */
#define BERTH_SUCCESS 0
#define BERTH_ERROR 1                          /**< something broke: the pod's attempt fails and is retried */
#define BERTH_UNSCHEDULABLE 2                  /**< no, and evicting pods might help */
#define BERTH_UNSCHEDULABLE_AND_UNRESOLVABLE 3 /**< no, and evicting pods would not help */
#define BERTH_WAIT 4                           /**< Permit only: hold the pod */
#define BERTH_SKIP 5                           /**< this plugin has nothing to say for this pod */
#define BERTH_PENDING 6                        /**< no, until somebody else has acted */
#define BERTH_NOT_EVALUATED (-1)               /**< what the host fills code[] with before a Filter call */
#define BERTH_IN_PROGRESS (-2)                 /**< the answer comes by berth_done */
#define BERTH_INVALID (-3)
#define BERTH_UNSUPPORTED (-4)
#define BERTH_NOT_FOUND (-5)
#define BERTH_CANCELLED (-6)
#define BERTH_DEADLINE (-7)
#define BERTH_NO_MEMORY (-8)

/** An answer with its texts. The host allocates it and passes it in as BERTH_SUCCESS without texts. */
typedef struct berth_status {
    uint32_t struct_size;
    uint32_t flags;
    int32_t code; /**< the plugin writes one of the codes above */
    uint32_t reserved;
    void *ctx; /**< the host's */
    /** Sets the text of an error. Copied at once. Thread: that of the call. */
    void (*set_error)(struct berth_status *status, berth_str text);
    /** Sets the reasons of a rejection, replacing earlier ones. Copied at once. Thread: that of the call. */
    void (*set_reasons)(struct berth_status *status, const berth_str *reasons, uint64_t n);
} berth_status;

/** What a plugin is told about the call it is in. Lives until the call returns; after BERTH_IN_PROGRESS, until the
 * answer is given. */
typedef struct berth_call {
    uint32_t struct_size;
    uint32_t flags;
    void *ctx;           /**< the host's */
    int64_t deadline_ns; /**< CLOCK_MONOTONIC; 0: none. Soft: an overrun is logged and counted */
    uint64_t cycle_id;   /**< the scheduling attempt's number; 0 outside one */
    uint8_t trace_id[16];
    uint32_t log_verbosity; /**< as -v of the command line */
    uint32_t reserved;
    const uint32_t *cancel; /**< non-zero: nobody wants the answer any more. Read it with berth_cancelled() */
    /** Interns a *list* of reasons and returns its id, to be written into reasons[] of a Filter call. Equal lists give
     * equal ids. Valid within this pod's attempt. Thread: that of the call. The texts are copied. */
    uint32_t (*reasons)(const struct berth_call *call, const berth_str *texts, uint64_t n);
    /** Memory that is freed when the call has returned. `align` is a power of two up to 64. Never NULL for size > 0. */
    void *(*scratch)(const struct berth_call *call, uint64_t size, uint64_t align);
} berth_call;

/** The id of the empty list of reasons. */
#define BERTH_NO_REASONS 0u

/** True once nobody wants the answer any more; a batch is left as it is then. Look at least every 64 slots. */
static inline int berth_cancelled(const berth_call *call) {
#if defined(__GNUC__)
    return call->cancel != NULL && __atomic_load_n(call->cancel, __ATOMIC_RELAXED) != 0;
#else
    return call->cancel != NULL && *(const volatile uint32_t *)call->cancel != 0;
#endif
}

/** How a call that answered BERTH_IN_PROGRESS ends: exactly once, from any thread. Valid until then. */
typedef struct berth_done {
    uint32_t struct_size;
    uint32_t flags;
    void *ctx;
    berth_status *status; /**< a fresh status to fill in; the host's */
    /** Ends the call with what `status` says. `done` is gone when this returns. */
    void (*complete)(void *ctx, berth_status *status);
} berth_done;

#endif /* BERTH_STATUS_H */

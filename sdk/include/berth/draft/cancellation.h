/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Cancellation of calls: a plugin learns at once that its pending call was cancelled.
 */
#ifndef BERTH_DRAFT_CANCELLATION_H
#define BERTH_DRAFT_CANCELLATION_H

#include <berth/host.h>

#define BERTH_HOST_CANCELLATION_DRAFT1 "berth.host.cancellation/draft1"

typedef struct berth_host_cancellation {
    uint32_t struct_size;
    uint32_t flags;
    /** Calls `fn(ctx, code)` on the loop, once, whatever happens: it is where `ctx` is freed. `code` is SUCCESS if the
     * host cancels `call`, or had cancelled it before `after` was called. The host cancels the call of a PreBind plugin
     * if the pod is deleted or preempted, or if another PreBind plugin that runs beside this one has failed. So far it
     * cancels no call of Bind or PostFilter.
     * The host calls `fn` in the loop's next iteration (in a simulation, without simulated time passing), and
     * never within another call. The plugin must still end `call`, preferably with CANCELLED. `code` is CANCELLED when
     * `call` ends first (it returns, or its berth_done is completed), or when the instance ends first.
     * `call` must be one of PreBind, Bind or PostFilter, which get a berth_done, and must not have ended.
     * Returns SUCCESS; INVALID without a function or for another call, CANCELLED when the instance is about to end:
     * `fn` is not called then. Thread: bind or loop. */
    int32_t (*after)(const berth_host *host, const berth_call *call, void (*fn)(void *ctx, int32_t code),
                     void *ctx); /* [bind] [loop] */
} berth_host_cancellation;

#endif /* BERTH_DRAFT_CANCELLATION_H */

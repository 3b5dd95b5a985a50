/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Extenders in a preemption, for PostFilter plugins.
 */
#ifndef BERTH_DRAFT_EXTENDERS_H
#define BERTH_DRAFT_EXTENDERS_H

#include <berth/host.h>

#define BERTH_HOST_EXTENDERS_DRAFT1 "berth.host.extenders/draft1"

/** Frozen value type: a node on which room can be made, and what that costs. */
typedef struct berth_candidate {
    uint32_t slot; /**< of the node, in the nodes of the PostFilter call */
    uint32_t reserved;
    const uint32_t *victims; /**< rows of the pods of that node that have to give way */
    uint64_t victims_len;
    int64_t violations; /**< how many of them a disruption budget protects */
} berth_candidate;

/** The servers that the configuration names under `extenders`. */
typedef struct berth_host_extenders {
    uint32_t struct_size;
    uint32_t flags;
    /** Asks the extenders that have a preemptVerb and are interested in the pod of `call` (the PostFilter call) to
     * choose among the candidates, one extender after the other; they may name other victims, and other nodes.
     * `candidates` and their rows are copied. Calls `on_done` on the loop, within this call or later: with SUCCESS and
     * the remaining candidates in `left`, which keep their order and may be none; with ERROR and the reason in `error`;
     * with CANCELLED if PostFilter or the instance has ended first. `left` and `error` live until on_done returns.
     * Returns SUCCESS; INVALID for an unknown call or candidate, CANCELLED if the instance
     * is about to end: then on_done is not called. Thread: loop, within PostFilter. */
    int32_t (*narrow)(const berth_host *host, const berth_call *call, const berth_candidate *candidates, uint64_t n,
                      void (*on_done)(void *ctx, int32_t code, berth_str error, const berth_candidate *left,
                                      uint64_t left_len),
                      void *ctx); /* [loop] */
} berth_host_extenders;

#endif /* BERTH_DRAFT_EXTENDERS_H */

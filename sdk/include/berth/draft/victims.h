/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The victims of a PostFilter and its reason, for people to read.
 */
#ifndef BERTH_DRAFT_VICTIMS_H
#define BERTH_DRAFT_VICTIMS_H

#include <berth/host.h>
#include <berth/point/post_filter.h>

#define BERTH_HOST_VICTIMS_DRAFT1 "berth.host.victims/draft1"

typedef struct berth_host_victims {
    uint32_t struct_size;
    uint32_t flags;
    /** Names the victims: the pods that would have to give way. Call it in PostFilter, before that has answered. `rows`
     * are rows of the pods of the call's nodes, the most important pod first; `n` is 1 to 10,000.
     * `reason` says in one line of at most 512 bytes why the plugin chose these, as
     * in "fewest pods over their queue's share"; if it is empty, the plugin chose as Kubernetes' preemption does.
     * This function evicts no pod and decides nothing. A later call replaces
     * what an earlier one named. On SUCCESS of PostFilter the decision record names the first 100; `berth explain`
     * names the first ten while the pod is nominated. Both say how many more there are. On UNSCHEDULABLE only the
     * record names them. On an error neither does.
     * Copied; a longer reason is cut, and a line break in it becomes a blank. Returns
     * SUCCESS. Returns INVALID if `n` is outside its range, or if a row is empty, repeated, or taken off its node by a
     * trial that is open. Thread: loop. */
    int32_t (*name)(const berth_host *host, berth_nomination *nomination, const uint32_t *rows, uint64_t n,
                    berth_str reason); /* [loop] */
} berth_host_victims;

#endif /* BERTH_DRAFT_VICTIMS_H */

/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The CycleState of a trial, for PostFilter plugins that choose victims by data of their own.
 */
#ifndef BERTH_DRAFT_TRIAL_STATE_H
#define BERTH_DRAFT_TRIAL_STATE_H

#include <berth/host.h>
#include <berth/service/preemption.h>

#define BERTH_HOST_TRIAL_STATE_DRAFT1 "berth.host.trial_state/draft1"

typedef struct berth_host_trial_state {
    uint32_t struct_size;
    uint32_t flags;
    /** The trial's own copy of the pod's CycleState, as AddPod and RemovePod of the plugins have changed it so far. The
     * plugin reads its data there by `get` of berth.host.state/1, and may `put` data: they end with the trial. Owner:
     * the host's, until `close`; what `get` returns lives until the next call for that trial. NULL if the trial is not
     * open, and while a plugin is called within it. Thread: loop, within PostFilter. */
    berth_state *(*state)(const berth_host *host, const berth_trial *trial); /* [loop] */
} berth_host_trial_state;

#endif /* BERTH_DRAFT_TRIAL_STATE_H */

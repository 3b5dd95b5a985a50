/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The preemption of a pod that is in PreBind.
 */
#ifndef BERTH_DRAFT_PODS_IN_PRE_BIND_H
#define BERTH_DRAFT_PODS_IN_PRE_BIND_H

#include <berth/host.h>

#define BERTH_HOST_PODS_IN_PRE_BIND_DRAFT1 "berth.host.pods_in_pre_bind/draft1"

typedef struct berth_host_pods_in_pre_bind {
    uint32_t struct_size;
    uint32_t flags;
    /** Ends the binding of the pod of that uid, if it is in PreBind, with an error: it has to give way. `reason`
     * reaches the pod's message. Returns BERTH_STATUS_SUCCESS or BERTH_STATUS_NOT_FOUND. Thread: loop. */
    int32_t (*cancel)(const berth_host *host, berth_str uid, berth_str reason); /* [loop] */
} berth_host_pods_in_pre_bind;

#endif /* BERTH_DRAFT_PODS_IN_PRE_BIND_H */

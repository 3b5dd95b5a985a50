/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The access to values that the plugin has prepared from an object (berth.prepare/1).
 */
#ifndef BERTH_SERVICE_PREPARED_H
#define BERTH_SERVICE_PREPARED_H

#include <berth/host.h>

#define BERTH_HOST_PREPARED_V1 "berth.host.prepared/1"

typedef struct berth_host_prepared {
    uint32_t struct_size;
    uint32_t flags;
    /** Stores in `*out` what this instance's `prepare` made of this version of the object. If there is nothing stored
     * for this version yet, the host calls `prepare` first. A pod stays the same version when it is assumed, placed or
     * nominated. `*out` lives as long as the object, so longer than the call if the object is retained. Filter and
     * Score must not call this function: call it in PreFilter or PreScore, and put the result into the state.
     * Returns SUCCESS; prepare's code if that is not SUCCESS, with prepare's texts in `*texts` (`*n` of them), which
     * live until the next `get`; INVALID if `object` or `out` is NULL; UNSUPPORTED if the plugin does not implement
     * berth.prepare/1, or during `create`. `texts` and `n` may be NULL.
     * Thread: loop. */
    int32_t (*get)(const berth_host *host, const berth_object *object, void **out, const berth_str **texts,
                   uint64_t *n); /* [loop] */
} berth_host_prepared;

#endif /* BERTH_SERVICE_PREPARED_H */

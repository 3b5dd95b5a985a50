/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Look-ups in the nodes and placed pods of the present call.
 */
#ifndef BERTH_SERVICE_NODES_H
#define BERTH_SERVICE_NODES_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_HOST_NODES_V1 "berth.host.nodes/1"

/** Every host has it. All functions: Thread: that of the call. */
typedef struct berth_host_nodes {
    uint32_t struct_size;
    uint32_t flags;
    /** The slot of the node of that name, or BERTH_NO_SLOT. */
    uint32_t (*find)(const berth_host *host, const berth_nodes *nodes, berth_str name); /* [par] */
    /** Fills in a declared column of nodes. The caller sets `out->struct_size` and `out->flags`, the host lowers the
     * size to what it has filled in, and sets flags of its own. Returns SUCCESS. With any other code (NOT_FOUND,
     * NO_MEMORY, or those of convention 3 of berth.h), it has not written to `out`. */
    int32_t (*column)(const berth_host *host, const berth_nodes *nodes, uint32_t id, berth_column *out); /* [par] */
    /** The rows of the pods on a node, in the order in which the pods came; returns how many. They live as long as the
     * view. */
    uint64_t (*pods_of)(const berth_host *host, const berth_pods *pods, uint32_t slot,
                        const uint32_t **rows); /* [par] */
    /** Fills in a declared column of pods, as `column` does. */
    int32_t (*pod_column)(const berth_host *host, const berth_pods *pods, uint32_t id, berth_column *out); /* [par] */
    /** The complete pod of a row; NULL for an empty row. Lives as the view does. */
    const berth_pod *(*pod)(const berth_host *host, const berth_pods *pods, uint32_t row); /* [par] */
} berth_host_nodes;

#endif /* BERTH_SERVICE_NODES_H */

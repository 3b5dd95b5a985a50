/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The nodes of a snapshot as columns over stable slots.
 */
#ifndef BERTH_VIEW_NODES_H
#define BERTH_VIEW_NODES_H

#include <berth/view/pods.h>

/* Bits of berth_nodes.node_flags. */
#define BERTH_FLAG_NODE_EXISTS 1u        /**< the slot holds a node */
#define BERTH_FLAG_NODE_UNSCHEDULABLE 2u /**< spec.unschedulable */

/** Nodes. A slot belongs to a node for as long as the node lives, so what a plugin keeps per slot stays true while
 * slot_generation[slot] is unchanged. Every array except `order` and `zone_generation` has `slots` entries and is
 * indexed by slot. The functions of berth.host.nodes/1 return declared columns, and find nodes and pods. Views live
 * until the call returns, their arrays until the cycle ends. If an array has to grow within a cycle, later calls get a
 * new one, and the former one stays for those who have it.
 * Columns change between two cycles. Within a cycle they change only at a node that the host evaluates with other pods
 * on it: in a trial of berth.host.runner/1, and for pods that are nominated to the node. Afterwards, the node's entries
 * are as before. They also change at the node that the host has chosen for the pod, before it calls Reserve.
 * While a node is changed in this way, its entries and those of its pods may be codes, rows or ranges that lie beyond
 * the end of an array that an earlier call got. So for such a node use only arrays of the present call, all from the
 * same view or berth_column. */
typedef struct berth_nodes {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t handle;             /**< the host's */
    uint32_t slots;              /**< entries of every column; some slots may be empty */
    uint32_t count;              /**< nodes, entries of `order` */
    uint64_t schema_version;     /**< grows whenever a code loses its value or gets another one; while it does not grow,
                                      every code denotes the same value. It grows often if pods and nodes come and
                                      go, each with label values of its own. Then use generations, which show the same
                                      for a single code (berth_pods) */
    uint64_t label_keys_version; /**< changes when a node gets a label key that no node had, or when the last node with
                                      a key loses it: an absent key may then be present, or a present one absent */
    uint64_t snapshot_id;        /**< the `since` of a later call of berth.host.delta/1 */
    const uint32_t *order;       /**< slots in the order in which the scheduler visits nodes */
    const berth_str *name;       /**< empty for an empty slot */
    const berth_object *const *obj;  /**< the nodes; NULL for an empty slot */
    const uint64_t *slot_generation; /**< changes whenever anything of the slot changes; while it is the same, the slot
                                          is the same. It need not grow */
    const uint32_t *node_flags;
    const int64_t *allocatable_cpu;          /**< milli-CPU */
    const int64_t *allocatable_memory;       /**< bytes */
    const int64_t *allocatable_ephemeral;    /**< bytes */
    const int64_t *allocatable_pods;         /**< how many pods the node takes */
    const int64_t *requested_cpu;            /**< the sum of current_requests (berth_pod) over placed pods; milli-CPU */
    const int64_t *requested_memory;         /**< the same of memory; bytes */
    const int64_t *requested_ephemeral;      /**< the same of ephemeral storage; bytes */
    const int64_t *requested_cpu_nonzero;    /**< as requested_cpu, but cpu that a container does not request counts as
                                                  in requests_nonzero of berth_pod */
    const int64_t *requested_memory_nonzero; /**< as requested_memory, but memory that a container does not request
                                                  counts as in requests_nonzero of berth_pod */
    const uint32_t *pod_count;               /**< placed pods */
    const uint32_t *zone_code;               /**< equal for nodes of one region and zone, by the labels
                                                  topology.kubernetes.io/region and /zone, or the older
                                                  failure-domain.beta.kubernetes.io ones if there are any */
    const uint64_t *zone_generation; /**< by zone code, `zones_len` entries: the generation of the code's present value
                                          (berth_pods); 0: the code is free */
    uint64_t zones_len;
    const berth_pods *pods; /**< the placed pods of the same snapshot */
} berth_nodes;

#endif /* BERTH_VIEW_NODES_H */

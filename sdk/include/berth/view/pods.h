/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The placed pods of a snapshot, assumed ones included, as columns.
 */
#ifndef BERTH_VIEW_PODS_H
#define BERTH_VIEW_PODS_H

#include <berth/view/column.h>

/** No node, no row. */
#define BERTH_NO_SLOT 0xffffffffu

/* Bits of berth_pods.pod_flags and berth_pod.pod_flags. */
#define BERTH_FLAG_POD_TERMINATING 1u  /**< has a deletionTimestamp */
#define BERTH_FLAG_POD_ASSUMED 2u      /**< placed by this scheduler, not yet confirmed by the API server */
#define BERTH_FLAG_POD_HAS_AFFINITY 4u /**< spec.affinity has podAffinity or podAntiAffinity */
#define BERTH_FLAG_POD_HAS_REQUIRED_ANTI_AFFINITY 8u /**< a required term of podAntiAffinity */
#define BERTH_FLAG_POD_HAS_VOLUMES 16u               /**< spec.volumes is not empty */

/** Frozen value type: a label. */
typedef struct berth_label {
    berth_str key, value;
} berth_label;

/** Frozen value type: a distinct set of labels, sorted by key. */
typedef struct berth_label_set {
    const berth_label *labels;
    uint64_t len;
} berth_label_set;

/** Placed pods. berth.host.nodes/1 finds the pods of a node, and the complete berth_pod of a row.
 * A row belongs to a pod for as long as it is placed. A row whose node_slot is BERTH_NO_SLOT is empty: its entries in
 * all other arrays have no meaning. Pods that have finished (Succeeded, Failed) are not placed and have no row.
 *
 * Namespaces, label sets, zones and the entries of declared CODE and CODES columns are codes: indices that mean the
 * same wherever they stand in the rows of this snapshot. A code that no row has any more becomes free after a while,
 * between two cycles, and the host may then give it to another value. Within a cycle no code loses its value, but a
 * free code may get one. The generation of a code shows that: the pair (code, generation) denotes the same value for
 * ever, in every instance and snapshot, and a generation is never 0. So a plugin that stores data by code must store
 * the generation with it, and must ignore data of another generation. berth_nodes.schema_version shows the same for all
 * codes at once. */
typedef struct berth_pods {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t handle; /**< the host's */
    uint32_t rows;
    uint32_t count;                 /**< rows that are not empty */
    const uint32_t *node_slot;      /**< the slot of the pod's node; BERTH_NO_SLOT: the row is empty */
    const uint32_t *namespace_code; /**< index into namespaces */
    const uint32_t *label_set_code; /**< index into label_sets */
    const int32_t *priority;        /**< spec.priority; 0 if it is absent */
    const int64_t *start_time_ns;   /**< status.startTime since the epoch; 0: not started */
    const uint32_t *pod_flags;      /**< BERTH_FLAG_POD_… bits */
    const berth_object *const *obj; /**< the pods; may be NULL in an empty row, but need not */
    const berth_str *namespaces;
    const uint64_t *namespace_generation; /**< by code: the generation of its present value; 0: the code is free, its
                                               entry empty */
    uint64_t namespaces_len;              /**< entries of namespaces, and of namespace_generation */
    const berth_label_set *label_sets;
    const uint64_t *label_set_generation; /**< the same for label sets */
    uint64_t label_sets_len;              /**< entries of label_sets, and of label_set_generation */
} berth_pods;

#endif /* BERTH_VIEW_PODS_H */

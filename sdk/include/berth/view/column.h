/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Columns that a plugin declares: a field of each node or placed pod, beside the fixed columns.
 *
 * The layout is Arrow's (data, validity bitmap, offsets for lists), without Arrow's ownership: the host owns
 * everything. A plugin declares a column (berth.host.columns/1) and reads it from the berth_nodes or berth_pods of the
 * current call (berth.host.nodes/1). The column's arrays live as long as theirs (berth_nodes), until the cycle ends.
 *
 * A column declared at create is there as long as the instance, whether any node has the key or not. A column declared
 * later, in PreFilter or PreScore, is for the attempt at hand: its id is valid until the attempt's Permit plugins have
 * been called, and the plugin declares the column again in the next attempt. So a key that a plugin takes from a pod
 * does not occupy memory for long: the keys that no node has share one column for each kind of column
 * (BERTH_FLAG_COLUMN_ABSENT), and the host frees columns that no attempt declares any more. If no node offers a
 * resource, the host adds up the requests for it only if a plugin declared its BERTH_COLUMN_NODE_REQUESTED at create.
 */
#ifndef BERTH_VIEW_COLUMN_H
#define BERTH_VIEW_COLUMN_H

#include <berth/host.h>

/* Types of `data`. */
#define BERTH_COLUMN_TYPE_CODE 1u  /**< const uint32_t[]: index into the dictionary */
#define BERTH_COLUMN_TYPE_INT64 2u /**< const int64_t[] */
#define BERTH_COLUMN_TYPE_CODES 3u /**< list of codes: row r has data[offsets[r].begin .. offsets[r].end) */
#define BERTH_COLUMN_TYPE_VALUE 4u /**< const berth_value *const[]: the field as a tree */

/* Kinds of node columns; the key is given at declaration. A row is invalid if its node does not have what the key
 * names. Two kinds differ. NODE_REQUESTED is then 0 and valid. NODE_ALLOCATABLE is then 0; it is invalid, except that
 * it may be valid for cpu, memory, ephemeral-storage and pods. Cpu is in milli-CPU, other resources are in bytes or
 * pieces. */
#define BERTH_COLUMN_NODE_LABEL 1u       /**< key: label key. CODE, dictionary of berth_str */
#define BERTH_COLUMN_NODE_ANNOTATION 2u  /**< key: annotation key. CODE, dictionary of berth_str */
#define BERTH_COLUMN_NODE_ALLOCATABLE 3u /**< key: resource name. INT64; where absent, 0 */
#define BERTH_COLUMN_NODE_REQUESTED 4u   /**< key: resource name. INT64: what placed pods request */
#define BERTH_COLUMN_NODE_TAINTS 5u      /**< no key. CODES, dictionary of berth_taint, in the node's order */
#define BERTH_COLUMN_NODE_IMAGES 6u      /**< no key. CODES, dictionary of berth_image: every name of every image */
#define BERTH_COLUMN_NODE_PORTS 7u       /**< no key. CODES, dictionary of berth_port: each port of each placed pod */
#define BERTH_COLUMN_NODE_FIELD 8u       /**< key: JSON pointer into the node object. VALUE */

/* Kinds of pod columns. A row is invalid if its pod does not have what the key names. */
#define BERTH_COLUMN_POD_LABEL 101u          /**< key: label key. CODE, dictionary of berth_str */
#define BERTH_COLUMN_POD_ANNOTATION 102u     /**< key: annotation key. CODE, dictionary of berth_str */
#define BERTH_COLUMN_POD_SCHEDULER_NAME 103u /**< no key. CODE, dictionary of berth_str */
#define BERTH_COLUMN_POD_IMAGES 104u /**< no key. CODES, dictionary of berth_str: of containers, init ones too */
#define BERTH_COLUMN_POD_FIELD 105u  /**< key: JSON pointer into the pod object. VALUE */

/* Bits of berth_column.flags. */
#define BERTH_FLAG_COLUMN_ABSENT 1u /**< no node has the key: every row is invalid, or 0 for NODE_REQUESTED */

/** Frozen value type: a taint. */
typedef struct berth_taint {
    berth_str key, value, effect;
} berth_taint;

/** Frozen value type: an image name known to at least one node. */
typedef struct berth_image {
    berth_str name;      /**< as the node lists it */
    int64_t size_bytes;  /**< as first seen in the cluster; kept until no node lists the name */
    uint32_t node_count; /**< nodes that list the name */
    uint32_t reserved;
} berth_image;

/** Frozen value type: a port of a node, defaults filled in ("TCP", "0.0.0.0"). */
typedef struct berth_port {
    berth_str protocol, ip;
    int32_t port;
    uint32_t reserved;
} berth_port;

/** Frozen value type: a list's place in `data`. */
typedef struct berth_range {
    uint32_t begin, end;
} berth_range;

/** One column, which `column` or `pod_column` of berth.host.nodes/1 fills in. Rows of empty slots hold nothing
 * meaningful and are invalid. */
typedef struct berth_column {
    uint32_t struct_size;       /**< set by the caller; the host lowers it to what it has filled in */
    uint32_t flags;             /**< set by the caller, then by the host: BERTH_FLAG_COLUMN_ABSENT */
    uint32_t type;              /**< BERTH_COLUMN_TYPE_… */
    uint32_t rows;              /**< the slots of the nodes, or the rows of the pods */
    const void *data;           /**< as `type` says */
    const uint64_t *validity;   /**< bit r of word r/64: row r has a value; NULL: all have */
    const berth_range *offsets; /**< of CODES, one for each row; else NULL */
    const void *dict; /**< of CODE and CODES: array of the kind's dictionary type; else NULL. A code that no row has may
                           be free, and its entry is then empty */
    uint64_t dict_len;
    const uint64_t *dict_generation; /**< by code: the generation of its present value, 0 for a free code; see
                                          berth_pods. NULL if `dict` is */
} berth_column;

/** 1 if `row`, which is less than `rows`, has a value; else 0. */
static inline int berth_valid(const berth_column *c, uint32_t row) {
    return c->validity == NULL || ((c->validity[row / 64] >> (row % 64)) & 1u);
}

#endif /* BERTH_VIEW_COLUMN_H */

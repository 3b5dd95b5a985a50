/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The pod at hand.
 */
#ifndef BERTH_VIEW_POD_H
#define BERTH_VIEW_POD_H

#include <berth/view/pods.h>

/** Frozen value type: an amount of a scalar resource (extended resource, hugepages, …). */
typedef struct berth_scalar {
    berth_str name;
    int64_t value;
} berth_scalar;

/** Frozen value type: what a pod asks for. cpu in milli-CPU, the rest in bytes or pieces. */
typedef struct berth_resources {
    int64_t cpu, memory, ephemeral;
    const berth_scalar *scalars; /**< sorted by name */
    uint64_t scalars_len;
} berth_resources;

/** Frozen value type: a toleration as the pod states it; an absent field is empty. */
typedef struct berth_toleration {
    berth_str key, op, value, effect; /**< op: "", "Equal", "Exists", … */
} berth_toleration;

/* Where an image of a pod is used. */
#define BERTH_IMAGE_CONTAINER 0u
#define BERTH_IMAGE_INIT_CONTAINER 1u
#define BERTH_IMAGE_VOLUME 2u

/** Frozen value type: an image that a pod uses, as the pod states it. */
typedef struct berth_pod_image {
    berth_str name;
    uint32_t use; /**< BERTH_IMAGE_… */
    uint32_t reserved;
} berth_pod_image;

/** A pod. Everything not here is read through berth.object/1. Lives until the call returns. */
typedef struct berth_pod {
    uint32_t struct_size;
    uint32_t flags;
    const berth_object *obj;
    berth_str uid, namespace_, name;
    int32_t priority;
    uint32_t pod_flags; /**< BERTH_POD_… bits */
    /* What the pod asks for, counted in the ways in which upstream counts it. All include overhead. "nonzero": with
     * 100m and 200Mi for every container that requests no cpu, no memory. */
    const berth_resources *requests; /**< with pod-level resources, without those in the status: NodeResourcesFit's
                                          filter */
    const berth_resources *nonzero;
    const berth_resources *plain_requests; /**< of the containers only, without pod-level resources */
    const berth_resources *plain_nonzero;  /**< the request that NodeResourcesFit scores */
    const berth_label *labels;             /**< sorted by key */
    uint64_t labels_len;
    const berth_toleration *tolerations;
    uint64_t tolerations_len;
    const berth_pod_image *images; /**< init containers, containers, volumes */
    uint64_t images_len;
    const berth_host_port *host_ports; /**< of containers and restartable init containers, port > 0 */
    uint64_t host_ports_len;
    berth_str scheduler_name;
    berth_str node_name; /**< spec.nodeName, empty while unplaced */
    berth_str nominated_node;
    int64_t creation_time_ns; /**< since the epoch */
    uint32_t attempts;        /**< scheduling attempts so far, this one included; 0: not in the queue */
    uint32_t reserved;
    int64_t queued_time_ns;           /**< when it was last added to the queue */
    int64_t initial_attempt_ns;       /**< when it was first tried; 0: not yet */
    const berth_resources *accounted; /**< with pod-level resources and those in the status: what the pod adds to its
                                           node's sums, and the request that NodeResourcesBalancedAllocation scores */
} berth_pod;

#endif /* BERTH_VIEW_POD_H */

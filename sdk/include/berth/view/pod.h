/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The pod of the present call: requests, priority, tolerations, images and more.
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

/** A pod. Everything not here is read through berth.host.object/1. Lives until the call returns.
 *
 * What the pod asks for: the sums over its containers with its overhead, as the release of Kubernetes counts them that
 * the configuration follows. In 1.36 and 1.37:
 *
 * | field                      | pod-level resources | resources in the status | what is left out counts as |
 * |----------------------------|---------------------|-------------------------|----------------------------|
 * | requests                   | take precedence     | are not looked at       | nothing                    |
 * | requests_nonzero           | take precedence     | are not looked at       | 100m cpu, 200Mi memory     |
 * | container_requests         | are not looked at   | are not looked at       | nothing                    |
 * | container_requests_nonzero | are not looked at   | are not looked at       | 100m cpu, 200Mi memory     |
 * | current_requests           | take precedence     | count during a resize   | nothing                    |
 *
 * "What is left out": cpu and memory that a container does not request. current_requests is what a placed pod adds
 * to its node's sums. */
typedef struct berth_pod {
    uint32_t struct_size;
    uint32_t flags;
    const berth_object *obj;
    berth_str uid, namespace_, name;
    int32_t priority;
    uint32_t pod_flags; /**< BERTH_FLAG_POD_… bits */
    /* What the pod asks for; see the table above. */
    const berth_resources *requests;
    const berth_resources *requests_nonzero;
    const berth_resources *container_requests;
    const berth_resources *container_requests_nonzero;
    const berth_resources *current_requests;
    const berth_label *labels; /**< sorted by key */
    uint64_t labels_len;
    const berth_toleration *tolerations;
    uint64_t tolerations_len;
    const berth_pod_image *images; /**< init containers, containers, volumes */
    uint64_t images_len;
    const berth_port *host_ports; /**< of containers and restartable init containers, port > 0 */
    uint64_t host_ports_len;
    berth_str scheduler_name;
    berth_str node_name; /**< spec.nodeName, empty while unplaced */
    berth_str nominated_node;
    /* Times of the pod, in nanoseconds since the epoch. */
    int64_t creation_time_ns;
    int64_t queued_time_ns;     /**< when it was last added to the queue */
    int64_t initial_attempt_ns; /**< when it first entered the active queue, so that it could be tried; 0: not yet */
    uint32_t attempts;          /**< scheduling attempts so far, this one included; 0: none yet, or not in the queue */
    uint32_t reserved;
} berth_pod;

#endif /* BERTH_VIEW_POD_H */

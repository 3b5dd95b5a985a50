/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The release of Kubernetes whose scheduling decisions a profile reproduces, and its feature gates.
 */
#ifndef BERTH_DRAFT_KUBERNETES_H
#define BERTH_DRAFT_KUBERNETES_H

#include <berth/host.h>

#define BERTH_HOST_KUBERNETES_DRAFT1 "berth.host.kubernetes/draft1"

/** For plugins that reproduce the decisions of Kubernetes' own plugins. A host without this service reproduces those
 * of Kubernetes 1.36. If a host has this service, default_args can use it as well. The answers do not change while the
 * instance lives. */
typedef struct berth_host_kubernetes {
    uint32_t struct_size;
    uint32_t flags;
    /** The minor of the release: 37 of Kubernetes 1.37. Thread: any. */
    uint32_t (*minor)(const berth_host *host); /* [any] */
    /** 1 if the feature gate of that name is on, 0 if it is off; BERTH_STATUS_NOT_FOUND, which is less than 0, if
     * kube-scheduler of that release has no such gate. For a gate that changes nothing in this host, returns the gate's
     * default. Thread: any. */
    int32_t (*gate)(const berth_host *host, berth_str name); /* [any] */
} berth_host_kubernetes;

#endif /* BERTH_DRAFT_KUBERNETES_H */

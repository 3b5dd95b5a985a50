/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The host from a plugin instance's view: a table that leads to the services (berth/service/).
 */
#ifndef BERTH_HOST_H
#define BERTH_HOST_H

#include <berth/status.h>

/** An object of the cluster (a pod, a node, …) as the host keeps it, in one version. Opaque; read it through
 * berth.host.object/1. Two equal pointers to live objects are the same version; two that differ may be, too. */
typedef struct berth_object berth_object;

/** A pod's CycleState. Opaque; used through berth.host.state/1. */
typedef struct berth_state berth_state;

/** One per plugin instance; lives from before `create` until after `destroy`. Every function of every service takes it
 * as its first argument. */
typedef struct berth_host {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t abi_minor; /**< the minor of the ABI that the host implements */
    uint32_t reserved;  /**< 0 */
    void *ctx;          /**< the host's */
    berth_str name;     /**< of the host, for people to read */
    berth_str version;  /**< of the host, likewise */
    /** The table of a service such as "berth.host.log/1", or NULL if this host has none of that id. Static data: ask
     * once, at create, and keep it. Use it with this host only: another instance may get another table. Thread: any. */
    const void *(*get_service)(const struct berth_host *host, berth_str id);
} berth_host;

#endif /* BERTH_HOST_H */

/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Objects of the cluster of any kind, and the changes from one snapshot to the next.
 */
#ifndef BERTH_SERVICE_CLUSTER_H
#define BERTH_SERVICE_CLUSTER_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_HOST_CLUSTER_V1 "berth.host.cluster/1"
#define BERTH_HOST_DELTA_V1 "berth.host.delta/1"

/** Objects of the kinds that the instance declares as watched (berth_plugin.declare), in the version that the API
 * server sent last; custom resources, too.
 * All of them are known before the first pod is tried, and none changes during a cycle. If the API server does not have
 * a kind that the instance declares, a host may refuse the profile, or end with an error.
 * `get`, `list` and `version` find nothing of a kind that is not declared, so nothing at all before `declare` has
 * returned. They may be called in every call of the plugin but a task. */
typedef struct berth_host_cluster {
    uint32_t struct_size;
    uint32_t flags;
    /** The id of a kind: ("storage.k8s.io", "v1", "storageclasses"); "" is the core group. Never 0; the same for the
     * same kind. The host refuses a plugin that calls this for a kind which it does not declare as watched. It also
     * refuses a plugin that declares pods or nodes. Thread: create. */
    uint32_t (*kind)(const berth_host *host, berth_str group, berth_str version, berth_str resource); /* [create] */
    /** The object of that name, or NULL; `namespace_` is empty for a kind without namespaces.
     * Lives until the call returns, longer if retained (berth.host.object/1). Thread: par. */
    const berth_object *(*get)(const berth_host *host, uint32_t kind, berth_str namespace_, berth_str name); /* [par] */
    /** Calls `visit` for each object of a namespace, or of all namespaces if `namespace_` is empty, in the order of
     * namespace and name, until `visit` returns 0. The objects live as those of `get` do. Thread: par. */
    void (*list)(const berth_host *host, uint32_t kind, berth_str namespace_,
                 int32_t (*visit)(void *ctx, const berth_object *object), void *ctx); /* [par] */
    /** Grows with every change of any object of the kind. Thread: par. */
    uint64_t (*version)(const berth_host *host, uint32_t kind); /* [par] */
    /** From now on `changed` is called on the loop, between cycles, for each change: `before` is NULL for a new object,
     * `after` for one that is gone. Both live until it returns. Its first calls are for the objects that exist
     * already, as new, after create and before the profile's first call. Its last call is before berth_plugin.destroy,
     * which may free `ctx`. If create does not succeed, the host never calls it.
     * Returns SUCCESS; INVALID without a function, for an unknown kind, and after create. Thread: create. */
    int32_t (*subscribe)(const berth_host *host, uint32_t kind,
                         void (*changed)(void *ctx, const berth_object *before, const berth_object *after),
                         void *ctx); /* [create] */
} berth_host_cluster;

/** Takes what has changed: first the pods that left, then the nodes, then the pods that came. A pod that changed leaves
 * and comes. The pods of a node come when the node comes, and leave when it goes. If a row now belongs to another pod,
 * `pod_removed` is called for the former pod, and later `pod_added` for the present one. */
typedef struct berth_plugin_changes {
    uint32_t struct_size;
    uint32_t flags;
    /** The pod that was in `row`, on the node of `slot`, as it was. It lives until this returns. */
    void (*pod_removed)(void *ctx, uint32_t row, const berth_pod *pod, uint32_t slot); /* [loop] */
    /** The node of `slot` came, changed or went (node_flags says whether there is one), or pods of it did. */
    void (*node_changed)(void *ctx, uint32_t slot); /* [loop] */
    /** There is a pod in `row` now that was not there, or not in this version. */
    void (*pod_added)(void *ctx, uint32_t row); /* [loop] */
} berth_plugin_changes;

typedef struct berth_host_delta {
    uint32_t struct_size;
    uint32_t flags;
    /** Compares `nodes`, the snapshot of the present call, with the earlier snapshot of id `since`, and calls the
     * functions of the table `changes` for each difference. With this, a plugin can update its counts over all pods
     * instead of counting again for every pod. Returns BERTH_STATUS_SUCCESS, or BERTH_STATUS_NOT_FOUND if the earlier
     * snapshot was too long ago (or `since` is 0): begin anew from `nodes`. Thread: loop. */
    int32_t (*changes)(const berth_host *host, const berth_nodes *nodes, uint64_t since,
                       const berth_plugin_changes *changes, void *ctx); /* [loop] */
} berth_host_delta;

#endif /* BERTH_SERVICE_CLUSTER_H */

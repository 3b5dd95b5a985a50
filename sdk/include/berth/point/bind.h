/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The extension points after the choice of a node: Reserve, Permit, PreBind, Bind, PostBind.
 */
#ifndef BERTH_POINT_BIND_H
#define BERTH_POINT_BIND_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_PLUGIN_RESERVE_V1 "berth.reserve/1"
#define BERTH_PLUGIN_PERMIT_V1 "berth.permit/1"
#define BERTH_PLUGIN_PRE_BIND_V1 "berth.pre_bind/1"
#define BERTH_PLUGIN_BIND_V1 "berth.bind/1"
#define BERTH_PLUGIN_POST_BIND_V1 "berth.post_bind/1"

typedef struct berth_plugin_reserve {
    uint32_t struct_size;
    uint32_t flags;
    /** The pod has been given the node of `slot`: reserve the plugin's resources for it there.
     * Owner: everything is the host's, until return. Thread: loop.
     * Host: SUCCESS goes on; anything else undoes the reservation of every plugin and requeues the pod. */
    void (*reserve)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_nodes *nodes, uint32_t slot, berth_str node_name, berth_status *status); /* [loop] */
    /** Undoes `reserve`. Idempotent; may come without a reserve before it. Cannot fail. Called for all plugins, in
     * reverse order. Not called while a pre_bind or a bind of the pod is in progress, except when the scheduler ends:
     * the host has then cancelled that call (berth_done). Owner and thread as above. */
    void (*unreserve)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      berth_str node_name); /* [loop] */
} berth_plugin_reserve;

typedef struct berth_plugin_permit {
    uint32_t struct_size;
    uint32_t flags;
    /** May the pod be bound? On WAIT, `*timeout_ns` is the longest time to wait; the host limits it to the range from 0
     * to 15 minutes.
     * Owner: everything is the host's, until return. Thread: loop.
     * Host: SUCCESS goes on; WAIT holds the pod until every waiting plugin allowed it (berth.host.waiting_pods/1), one
     * rejected it, or the time is over. Anything else undoes the reservation and requeues the pod; so do a rejection
     * and the end of the time. */
    void (*permit)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, uint32_t slot, berth_str node_name, int64_t *timeout_ns,
                   berth_status *status); /* [loop] */
} berth_plugin_permit;

typedef struct berth_plugin_pre_bind {
    uint32_t struct_size;
    uint32_t flags;
    /** Is there anything to do before binding? SUCCESS: call pre_bind; SKIP: do not. `*parallel` non-zero: this
     * pre_bind may run in parallel with those of neighbouring plugins that say so, too.
     * May be NULL: pre_bind is always called.
     * Owner: everything is the host's, until return. Thread: bind.
     * Host: anything but SUCCESS and SKIP ends the binding. */
    void (*preflight)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                      uint32_t *parallel, berth_status *status); /* [bind] */
    /** Does what must be done before the pod is bound; answers in `status`, or IN_PROGRESS and later by `done`.
     * Owner: the host's; until return or, after IN_PROGRESS, until done. After IN_PROGRESS the inputs may be read on
     * the loop only. A plugin whose other thread needs them copies them before it returns: when the scheduler ends, the
     * host frees them before the call is done. Thread: bind, must not block.
     * Host: SUCCESS goes on; anything else undoes the reservation and requeues the pod. */
    void (*pre_bind)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                     berth_status *status, const berth_done *done); /* [bind] */
} berth_plugin_pre_bind;

typedef struct berth_plugin_bind {
    uint32_t struct_size;
    uint32_t flags;
    /** Binds the pod to the node; answers in `status`, or IN_PROGRESS and later by `done`.
     * Owner: the host's; until return or, after IN_PROGRESS, until done. After IN_PROGRESS the inputs may be read on
     * the loop only. A plugin whose other thread needs them copies them before it returns: when the scheduler ends, the
     * host frees them before the call is done. Thread: bind, must not block.
     * Host: SUCCESS means bound; SKIP asks the next plugin; anything else undoes the reservation and requeues. */
    void (*bind)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                 berth_status *status, const berth_done *done); /* [bind] */
} berth_plugin_bind;

typedef struct berth_plugin_post_bind {
    uint32_t struct_size;
    uint32_t flags;
    /** The pod is bound. For information. Owner: the host's, until return. Thread: bind. */
    void (*post_bind)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      berth_str node_name); /* [bind] */
} berth_plugin_post_bind;

#endif /* BERTH_POINT_BIND_H */

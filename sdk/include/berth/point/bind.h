/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Points after a node was chosen: Reserve, Permit, PreBind, Bind, PostBind.
 */
#ifndef BERTH_POINT_BIND_H
#define BERTH_POINT_BIND_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_RESERVE_V1 "berth.reserve/1"
#define BERTH_PERMIT_V1 "berth.permit/1"
#define BERTH_PRE_BIND_V1 "berth.pre_bind/1"
#define BERTH_BIND_V1 "berth.bind/1"
#define BERTH_POST_BIND_V1 "berth.post_bind/1"

typedef struct berth_reserve {
    uint32_t struct_size;
    uint32_t flags;
    /** The pod has been given the node of `slot`: keep what it needs there.
     * Owner: everything is the host's, until return. Thread: loop.
     * Host: SUCCESS goes on; anything else undoes the reservation of every plugin and requeues the pod. */
    void (*reserve)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_nodes *nodes, uint32_t slot, berth_str node_name, berth_status *status) BERTH_LOOP;
    /** Undoes `reserve`. Idempotent; may come without a reserve before it. Cannot fail. Called for all plugins, in
     * reverse order. Owner and thread as above. */
    void (*unreserve)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      berth_str node_name) BERTH_LOOP;
} berth_reserve;

typedef struct berth_permit {
    uint32_t struct_size;
    uint32_t flags;
    /** May the pod be bound? On WAIT `*timeout_ms` says how long at most (the host takes 15 minutes at most).
     * Owner: everything is the host's, until return. Thread: loop.
     * Host: SUCCESS goes on; WAIT holds the pod until every waiting plugin allowed it (berth.waiting_pods/1), one
     * rejected it, or the time is over; anything else undoes the reservation. */
    void (*permit)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, uint32_t slot, berth_str node_name, berth_status *status,
                   uint32_t *timeout_ms) BERTH_LOOP;
} berth_permit;

typedef struct berth_pre_bind {
    uint32_t struct_size;
    uint32_t flags;
    /** Is there anything to do before binding? SUCCESS: call pre_bind; SKIP: do not. `*parallel` non-zero: it may run
     * beside neighbouring plugins' that say so too. May be NULL: pre_bind is always called.
     * Owner: everything is the host's, until return. Thread: bind.
     * Host: anything but SUCCESS and SKIP ends the binding. */
    void (*preflight)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                      berth_status *status, uint32_t *parallel) BERTH_BIND;
    /** Does what must be done before the pod is bound; answers in `status`, or IN_PROGRESS and later by `done`.
     * Owner: the host's; until return or, after IN_PROGRESS, until done. Thread: bind, must not block.
     * Host: SUCCESS goes on; anything else undoes the reservation and requeues the pod. */
    void (*pre_bind)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                     berth_status *status, const berth_done *done) BERTH_BIND;
} berth_pre_bind;

typedef struct berth_bind {
    uint32_t struct_size;
    uint32_t flags;
    /** Binds the pod to the node; answers in `status`, or IN_PROGRESS and later by `done`.
     * Owner: the host's; until return or, after IN_PROGRESS, until done. Thread: bind, must not block.
     * Host: SUCCESS means bound; SKIP asks the next plugin; anything else undoes the reservation and requeues. */
    void (*bind)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                 berth_status *status, const berth_done *done) BERTH_BIND;
} berth_bind;

typedef struct berth_post_bind {
    uint32_t struct_size;
    uint32_t flags;
    /** The pod is bound. For information. Owner: the host's, until return. Thread: bind. */
    void (*post_bind)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      berth_str node_name) BERTH_BIND;
} berth_post_bind;

#endif /* BERTH_POINT_BIND_H */

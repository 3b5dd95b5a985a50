/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Services of preemption: nodes tried with other pods, nominations, activation of pending pods.
 */
#ifndef BERTH_SERVICE_PREEMPTION_H
#define BERTH_SERVICE_PREEMPTION_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_HOST_RUNNER_V1 "berth.host.runner/1"
#define BERTH_HOST_NOMINATOR_V1 "berth.host.nominator/1"
#define BERTH_HOST_ACTIVATOR_V1 "berth.host.activator/1"

/** A node as it would be with other pods on it. Opaque. */
typedef struct berth_trial berth_trial;

/** What the profile's plugins say about a changed node. A function that returns a code returns that of the last plugin
 * that was called, and stores the plugin's texts in `*texts` (`*n` of them), which live until the next call for that
 * trial. `texts` and `n`
 * may be NULL. All functions: Thread: loop, within PostFilter. */
typedef struct berth_host_runner {
    uint32_t struct_size;
    uint32_t flags;
    /** Begins a trial of the node of `slot`, as it is, with a copy of `state`. One at a time; ends with `close`. While
     * it is open, `nodes` and its pods show that node as the trial has it. `call`, `state`, `pod` and `nodes` are those
     * of the PostFilter call. NULL if there is no node in that slot, or another trial is open. */
    berth_trial *(*open)(const berth_host *host, const berth_call *call, const berth_state *state, const berth_pod *pod,
                         const berth_nodes *nodes, uint32_t slot); /* [loop] */
    /** Takes the pod of `row` from the node and tells the PreFilter plugins (berth.pre_filter_ext/1). Until the pod is
     * put back, its row looks empty, but no other pod gets the row. The call changes the order and the length of the
     * list of the node's rows: copy that list before you iterate over it. INVALID: it is not on that node. */
    int32_t (*remove_pod)(const berth_host *host, berth_trial *trial, uint32_t row, const berth_str **texts,
                          uint64_t *n); /* [loop] */
    /** Puts a pod back that was taken away. */
    int32_t (*add_pod)(const berth_host *host, berth_trial *trial, uint32_t row, const berth_str **texts,
                       uint64_t *n); /* [loop] */
    /** Runs the Filter plugins for the node as in a cycle. If other pods of equal or higher priority are nominated to
     * the node, the plugins must accept the node twice: with those pods placed on it, and without them. Returns
     * SUCCESS, the code of a rejection, or ERROR. */
    int32_t (*filter)(const berth_host *host, berth_trial *trial, const berth_str **texts, uint64_t *n); /* [loop] */
    /** Ends the trial: everything is as it was. */
    void (*close)(const berth_host *host, berth_trial *trial); /* [loop] */
} berth_host_runner;

/** Pods that are nominated to a node, and are not placed yet. */
typedef struct berth_host_nominator {
    uint32_t struct_size;
    uint32_t flags;
    /** Calls `visit` for each pod nominated to that node, in the order of their nominations, until `visit` returns 0.
     * Each pod lives until `visit` has returned for it. The plugin must not
     * change nominations in `visit`. Thread: loop. */
    void (*visit)(const berth_host *host, berth_str node_name, int32_t (*visit)(void *ctx, const berth_pod *pod),
                  void *ctx); /* [loop] */
    /** Removes the nomination of the pod of that uid, in the host's memory only; the plugin itself must patch the pod's
     * status. Returns
     * BERTH_STATUS_SUCCESS or BERTH_STATUS_NOT_FOUND. Thread: loop. */
    int32_t (*remove)(const berth_host *host, berth_str uid); /* [loop] */
} berth_host_nominator;

typedef struct berth_host_activator {
    uint32_t struct_size;
    uint32_t flags;
    /** Lets the pending pod of that uid be tried again, without an event and without the rest of its backoff: it enters
     * the active queue unless a PreEnqueue plugin refuses it. While a PostFilter is in progress, the pod must wait
     * until that has ended. If the pod is being tried itself, this counts as an event that came meanwhile. Returns
     * BERTH_STATUS_SUCCESS if the pod is pending, whether or not it enters the queue; BERTH_STATUS_NOT_FOUND if it is
     * not, and to an instance that ends. Thread: loop. */
    int32_t (*activate)(const berth_host *host, berth_str uid); /* [loop] */
} berth_host_activator;

#endif /* BERTH_SERVICE_PREEMPTION_H */

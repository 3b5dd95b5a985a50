/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * What making room for a pod takes: trying a node with other pods on it, nominations, and pods that have to give way.
 */
#ifndef BERTH_SERVICE_PREEMPTION_H
#define BERTH_SERVICE_PREEMPTION_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_HOST_RUNNER_V1 "berth.host.runner/1"
#define BERTH_HOST_NOMINATOR_V1 "berth.host.nominator/1"
#define BERTH_HOST_ACTIVATOR_V1 "berth.host.activator/1"
#define BERTH_HOST_PODS_IN_PRE_BIND_V1 "berth.host.pods_in_pre_bind/1"
#define BERTH_HOST_EXTENDERS_V1 "berth.host.extenders/1"

/** A node as it would be with other pods on it. Opaque. */
typedef struct berth_trial berth_trial;

/** What the profile's plugins say about a changed node. A function that returns a code returns that of the plugin that
 * spoke last, and its texts in `*texts` (`*n` of them), which live until the next call for that trial. `texts` and `n`
 * may be NULL. All functions: Thread: loop, within PostFilter. */
typedef struct berth_host_runner {
    uint32_t struct_size;
    uint32_t flags;
    /** Begins a trial of the node of `slot`, as it is, with a copy of `state`. One at a time; ends with `close`. While
     * it is open, `nodes` and its pods show that node as the trial has it. `call`, `state`, `pod` and `nodes` are those
     * of the PostFilter call. NULL if there is no node in that slot, or another trial is open. */
    berth_trial *(*open)(const berth_host *host, const berth_call *call, const berth_state *state, const berth_pod *pod,
                         const berth_nodes *nodes, uint32_t slot); /* [loop] */
    /** Takes the pod of `row` from the node and tells the PreFilter plugins (berth.pre_filter_ext/1). Its row is empty
     * until it is put back, but stays its. The list of the node's rows has another order and end then: copy it before
     * going over it. INVALID: it is not on that node. */
    int32_t (*remove_pod)(const berth_host *host, berth_trial *trial, uint32_t row, const berth_str **texts,
                          uint64_t *n); /* [loop] */
    /** Puts a pod back that was taken away. */
    int32_t (*add_pod)(const berth_host *host, berth_trial *trial, uint32_t row, const berth_str **texts,
                       uint64_t *n); /* [loop] */
    /** Runs the Filter plugins for the node as in a cycle: also with the pods nominated to it that come first.
     * SUCCESS, the code of a rejection, or ERROR. */
    int32_t (*filter)(const berth_host *host, berth_trial *trial, const berth_str **texts, uint64_t *n); /* [loop] */
    /** Ends the trial: everything is as it was. */
    void (*close)(const berth_host *host, berth_trial *trial); /* [loop] */
} berth_host_runner;

/** Pods that are promised a node, and are not placed yet. */
typedef struct berth_host_nominator {
    uint32_t struct_size;
    uint32_t flags;
    /** Calls `visit` for each pod nominated to that node, in the order in which they were. The pods live until it
     * returns; nominations must not be changed meanwhile. Thread: loop. */
    void (*visit)(const berth_host *host, berth_str node_name, void (*visit)(void *ctx, const berth_pod *pod),
                  void *ctx); /* [loop] */
    /** Takes back the promise made to the pod of that uid, in memory; its status is the plugin's to patch. Returns
     * BERTH_STATUS_SUCCESS or BERTH_STATUS_NOT_FOUND. Thread: loop. */
    int32_t (*remove)(const berth_host *host, berth_str uid); /* [loop] */
} berth_host_nominator;

typedef struct berth_host_activator {
    uint32_t struct_size;
    uint32_t flags;
    /** Puts the pending pod of that uid into the active queue at once, whatever it waits for. Returns
     * BERTH_STATUS_SUCCESS or BERTH_STATUS_NOT_FOUND. Thread: loop. */
    int32_t (*activate)(const berth_host *host, berth_str uid); /* [loop] */
} berth_host_activator;

typedef struct berth_host_pods_in_pre_bind {
    uint32_t struct_size;
    uint32_t flags;
    /** Ends the binding of the pod of that uid, if it is in PreBind, with an error: it has to give way. `reason`
     * reaches the pod's message. Returns BERTH_STATUS_SUCCESS or BERTH_STATUS_NOT_FOUND. Thread: loop. */
    int32_t (*cancel)(const berth_host *host, berth_str uid, berth_str reason); /* [loop] */
} berth_host_pods_in_pre_bind;

/** Frozen value type: a node on which room can be made, and what that costs. */
typedef struct berth_candidate {
    uint32_t slot;
    uint32_t reserved;
    const uint32_t *victims; /**< rows of the pods that have to give way */
    uint64_t victims_len;
    int64_t violations; /**< how many of them a disruption budget protects */
} berth_candidate;

/** The servers that the configuration names under `extenders`. */
typedef struct berth_host_extenders {
    uint32_t struct_size;
    uint32_t flags;
    /** Has those with a preemptVerb that are interested in the pod of `call`, which is that of PostFilter, choose among
     * the candidates, one after the other; they may name other victims, and other nodes. Calls `on_done` on the loop,
     * from within this call or later, once, unless PostFilter has ended before: with an error, or with what is left in
     * the order in which it was given, which may be nothing. Both live until on_done returns. Returns SUCCESS, or
     * INVALID for a call or a candidate that is none; on_done is not called then. Thread: loop, within PostFilter. */
    int32_t (*narrow)(const berth_host *host, const berth_call *call, const berth_candidate *candidates, uint64_t n,
                      void (*on_done)(void *ctx, berth_str error, const berth_candidate *left, uint64_t left_len),
                      void *ctx); /* [loop] */
} berth_host_extenders;

#endif /* BERTH_SERVICE_PREEMPTION_H */

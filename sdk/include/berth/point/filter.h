/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The extension points PreFilter and Filter, which decide the nodes that a pod fits.
 */
#ifndef BERTH_POINT_FILTER_H
#define BERTH_POINT_FILTER_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_PLUGIN_PRE_FILTER_V1 "berth.pre_filter/1"
#define BERTH_PLUGIN_PRE_FILTER_EXT_V1 "berth.pre_filter_ext/1"
#define BERTH_PLUGIN_FILTER_V1 "berth.filter/1"

/** The nodes that a pod is tried on, to be narrowed. Opaque: see restrict_slots and restrict_names of
 * berth.host.call/1. */
typedef struct berth_restrict berth_restrict;

typedef struct berth_plugin_pre_filter {
    uint32_t struct_size;
    uint32_t flags;
    /** Looks at the pod before any node: computes what Filter needs into `state`, may narrow the nodes, may reject.
     * Owner: everything is the host's, until return. Thread: loop.
     * Host: SUCCESS goes on; SKIP goes on and leaves out this plugin's Filter; UNSCHEDULABLE rejects the pod after the
     * other PreFilters have run; UNSCHEDULABLE_AND_UNRESOLVABLE and PENDING reject it at once; anything else fails the
     * attempt. Reasons become the pod's message. If several plugins narrow the nodes, the host tries the pod on those
     * that all of them left. */
    void (*pre_filter)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_nodes *nodes, berth_restrict *restrict_, berth_status *status); /* [loop] */
} berth_plugin_pre_filter;

/** For a plugin whose PreFilter computes something about placed pods. These functions update that data while the host
 * evaluates a node as if a pod were on it, or were not (pods nominated to a node, victims of a preemption). */
typedef struct berth_plugin_pre_filter_ext {
    uint32_t struct_size;
    uint32_t flags;
    /** Called after the host has put `other` on the node of `slot`. Updates the data about `pod` that PreFilter left in
     * `state`.
     * Owner: everything is the host's, until return; `state` is a clone of what PreFilter left, `nodes` shows the node
     * with `other` on it. Thread: par (a state of its own, `self` read-only).
     * Host: not called if this plugin's PreFilter answered SKIP. A status other than SUCCESS fails the attempt; within
     * a trial, the function of berth.host.runner/1 returns ERROR. */
    void (*add_pod)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_pod *other, const berth_nodes *nodes, uint32_t slot, berth_status *status); /* [par] */
    /** The same after `other` was taken from the node of `slot`. */
    void (*remove_pod)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_pod *other, const berth_nodes *nodes, uint32_t slot,
                       berth_status *status); /* [par] */
} berth_plugin_pre_filter_ext;

typedef struct berth_plugin_filter {
    uint32_t struct_size;
    uint32_t flags;
    /** Judges `n` slots: writes code[i] and, for a rejection or an error, reasons[i] (an id of intern_reasons) for
     * slots[i]. The slots are those that earlier plugins let through; in an attempt a slot may come several times, or
     * never. A verdict must not depend on the other slots of the call.
     * Owner: everything is the host's, until return. Thread: par (disjoint slots, `self` read-only).
     * Host: fills code[] with NOT_EVALUATED, and reasons[] with BERTH_NO_REASONS, before the call. SUCCESS keeps the
     * node; UNSCHEDULABLE, UNSCHEDULABLE_AND_UNRESOLVABLE and PENDING reject it with the reasons. Any other code fails
     * the attempt, with an error that names the plugin, and the reasons as its text if the code is ERROR; so does
     * NOT_EVALUATED, unless the call was cancelled. */
    void (*filter)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int32_t *code,
                   uint32_t *reasons); /* [par] */
} berth_plugin_filter;

#endif /* BERTH_POINT_FILTER_H */

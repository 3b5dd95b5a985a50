/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The extension points before the scheduling cycle: PreEnqueue, QueueSort, and queueing hints.
 */
#ifndef BERTH_POINT_QUEUE_H
#define BERTH_POINT_QUEUE_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_PLUGIN_PRE_ENQUEUE_V1 "berth.pre_enqueue/1"
#define BERTH_PLUGIN_QUEUE_SORT_V1 "berth.queue_sort/1"
#define BERTH_PLUGIN_EVENTS_V1 "berth.events/1"

typedef struct berth_plugin_pre_enqueue {
    uint32_t struct_size;
    uint32_t flags;
    /** May `pod` enter the active queue?
     * Owner: everything is the host's, until return. Thread: loop, must not block.
     * Host: SUCCESS lets it in. UNSCHEDULABLE, UNSCHEDULABLE_AND_UNRESOLVABLE and PENDING keep it gated; the host
     * writes no Kubernetes Event about that, and asks again after an event that this plugin registered. Anything else
     * is an error, and the pod stays gated. */
    void (*pre_enqueue)(void *self, const berth_call *call, const berth_pod *pod, berth_status *status); /* [loop] */
} berth_plugin_pre_enqueue;

/** How many bytes of a key are compared at most. */
#define BERTH_SORT_KEY_MAX 1024u

typedef struct berth_plugin_queue_sort {
    uint32_t struct_size;
    uint32_t flags;
    /** Is `a` to be tried before `b`? A strict weak ordering; 1 for yes, 0 for no. While neither pod changes, the
     * answer must stay the same; in particular it must not depend on the time. If there are several profiles, all name
     * the same plugin, and the instance of the first profile orders the pods of all of them. Owner: both are the
     * host's, until return. Thread: loop, must not block. Host: orders the queue by it; pods for which neither comes
     * first are tried in the order in which they came. Below 0: it cannot tell, which counts as no. */
    int32_t (*less)(void *self, const berth_pod *a, const berth_pod *b); /* [loop] */
    /** The same order, as a key of bytes: if the plugin has keys for `a` and `b`, less(a, b) holds exactly if memcmp
     * puts the key of `a` before that of `b`. A key comes before a longer key that begins with it.
     * Writes the first `size` bytes of the key, or the whole key if it is shorter, and returns the key's length; 0 if
     * it cannot tell. The host puts a pod without a key after all pods with one. If `less` returns a number below 0,
     * this has no such effect.
     * May be NULL. Owner: `key` is the host's. Thread: loop, must not block. Host: compares keys instead of calling
     * less. If the key is longer than `size`, it asks once more, with room for the whole key, at most
     * BERTH_SORT_KEY_MAX bytes. Of pods whose keys differ only beyond these, neither comes first. */
    uint64_t (*sort_key)(void *self, const berth_pod *pod, uint8_t *key, uint64_t size); /* [loop] */
} berth_plugin_queue_sort;

/* Actions of an event, as bits, in the scheduling framework's order. */
#define BERTH_EVENT_ADD (UINT64_C(1) << 0)
#define BERTH_EVENT_DELETE (UINT64_C(1) << 1)
#define BERTH_EVENT_UPDATE_NODE_ALLOCATABLE (UINT64_C(1) << 2)
#define BERTH_EVENT_UPDATE_NODE_LABEL (UINT64_C(1) << 3)
#define BERTH_EVENT_UPDATE_NODE_TAINT (UINT64_C(1) << 4)
#define BERTH_EVENT_UPDATE_NODE_CONDITION (UINT64_C(1) << 5)
#define BERTH_EVENT_UPDATE_NODE_ANNOTATION (UINT64_C(1) << 6)
#define BERTH_EVENT_UPDATE_NODE_DECLARED_FEATURE (UINT64_C(1) << 7)
#define BERTH_EVENT_UPDATE_POD_LABEL (UINT64_C(1) << 8)
#define BERTH_EVENT_UPDATE_POD_SCALE_DOWN (UINT64_C(1) << 9)
#define BERTH_EVENT_UPDATE_POD_TOLERATION (UINT64_C(1) << 10)
#define BERTH_EVENT_UPDATE_POD_GATES_ELIMINATED (UINT64_C(1) << 11)
#define BERTH_EVENT_UPDATE_POD_GENERATED_CLAIM (UINT64_C(1) << 12)
/** Any update: every bit but those of ADD and DELETE. Every action that a later host adds is an update, so a plugin
 * that has registered BERTH_EVENT_UPDATE has registered such an action too. */
#define BERTH_EVENT_UPDATE UINT64_C(0xfffffffffffffffc)
#define BERTH_EVENT_ALL UINT64_C(0xffffffffffffffff) /**< anything that happens */

/** Something that happened. Lives until the call returns. For the resource "Node" the event contains the node as a
 * table with one row, at slot 0, with the columns of a snapshot and with the node's placed pods. For "Pod" and
 * "AssignedPod" it contains the pod as a berth_pod. */
typedef struct berth_event {
    uint32_t struct_size;
    uint32_t flags;
    berth_str resource;                     /**< "Pod" (here only an unscheduled pod), "AssignedPod", "Node", or the
                                                 name by which the plugin registered another kind (add_event of
                                                 berth.host.sinks/1); the host's, if it registered "*".
                                                 To add_event, "Pod" means both kinds of pods */
    uint64_t action;                        /**< one bit, which may be one that these headers do not name yet; or all
                                                 bits of BERTH_EVENT_UPDATE, if the host does not know what the update
                                                 changed */
    const berth_pod *old_pod, *new_pod;     /**< NULL where there is none */
    const berth_nodes *old_node, *new_node; /**< NULL where there is none */
    uint32_t node_slot; /**< the slot, in the snapshot, of the node itself or of the node that the pod is placed on;
                             BERTH_NO_SLOT: none */
    uint32_t reserved;
    const berth_object *old_object, *new_object; /**< of any other kind; NULL where there is none */
} berth_event;

/* What a hint answers for a pod. */
#define BERTH_HINT_SKIP 0u  /**< this event does not help it */
#define BERTH_HINT_QUEUE 1u /**< try it again */
#define BERTH_HINT_ERROR 2u /**< cannot tell; counts as QUEUE */

/** Collects the events that a plugin waits for. Opaque: see berth.host.sinks/1. */
typedef struct berth_event_sink berth_event_sink;

typedef struct berth_plugin_events {
    uint32_t struct_size;
    uint32_t flags;
    /** Says which events may make a pod schedulable that this plugin rejected. The host calls it once, after declare,
     * if the plugin can reject a pod, that is, has PreEnqueue, PreFilter, Filter, Reserve or Permit.
     * Thread: create. Host: an event wakes a pod only if a plugin that rejected the pod has registered the event. For a
     * plugin without this table, the host registers at least all events of pods, of nodes, and of the kinds that the
     * plugin declares as watched. The host may also try a pod again without an event, for instance if the pod has
     * waited long. On any code but BERTH_STATUS_SUCCESS the profile is refused with the status's text. */
    void (*events)(void *self, berth_event_sink *sink, berth_status *status); /* [create] */
    /** One event, `n` pods that this plugin rejected: out[i] says BERTH_HINT_… for pods[i]. May be NULL.
     * Owner: everything is the host's, until return. Thread: loop, must not block.
     * Host: fills out[] with QUEUE before the call; QUEUE and ERROR move the pod to the active or backoff queue. */
    void (*hint)(void *self, const berth_call *call, const berth_event *event, const berth_pod *const *pods, uint64_t n,
                 uint8_t *out); /* [loop] */
} berth_plugin_events;

#endif /* BERTH_POINT_QUEUE_H */

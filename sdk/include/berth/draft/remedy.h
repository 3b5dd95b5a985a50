/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Remedies: the changes after which a node that a plugin's Filter rejects would fit.
 */
#ifndef BERTH_DRAFT_REMEDY_H
#define BERTH_DRAFT_REMEDY_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_PLUGIN_REMEDY_DRAFT1 "berth.remedy/draft1"
#define BERTH_HOST_REMEDIES_DRAFT1 "berth.host.remedies/draft1"

/* Kinds of a berth_change, with the fields that each uses. A host ignores a remedy if it does not know the kind of
 * one of its changes, or if an `amount` that the kind uses is not more than 0, or a `name` that it uses is empty. */
#define BERTH_CHANGE_RESOURCE 1u   /**< name, amount: the node offers so much more, or the pod requests so much less */
#define BERTH_CHANGE_PODS 2u       /**< amount: the node takes so many more pods */
#define BERTH_CHANGE_TOLERATION 3u /**< name, value, effect: the pod tolerates this taint, or the node loses it */
#define BERTH_CHANGE_UNCORDON 4u   /**< the node's spec.unschedulable becomes false, and its taint goes */
#define BERTH_CHANGE_LABEL 5u      /**< name, value: the node has this label */
#define BERTH_CHANGE_NO_LABEL 6u   /**< name: the node does not have this label */
#define BERTH_CHANGE_OTHER 7u      /**< name: a phrase in the imperative, as in "attach a disk of class fast" */

/** Frozen value type: one change of a node or of a pod. Plain data; a field that its kind does not use is empty or 0.
 */
typedef struct berth_change {
    uint32_t kind; /**< BERTH_CHANGE_… */
    uint32_t reserved;
    berth_str name, value, effect;
    int64_t amount; /**< more than 0: cpu in milli-CPU, other resources in bytes or pieces, pods by number */
} berth_change;

/** Collects remedies. Opaque. Lives until the call returns. */
typedef struct berth_remedy_sink berth_remedy_sink;

/** Offered by every host that calls BERTH_PLUGIN_REMEDY_DRAFT1. */
typedef struct berth_host_remedies {
    uint32_t struct_size;
    uint32_t flags;
    /** A remedy for slots[i] of the call: `n` changes, 1 to 64, that suffice together. Several remedies for one slot
     * are alternatives: the host takes the one with the fewest changes, and among equals the one that was added first.
     * Owner: changes and texts are the plugin's; copied at once. Thread: that of the call. */
    void (*add)(const berth_host *host, berth_remedy_sink *sink, uint64_t i, const berth_change *changes,
                uint64_t n); /* [loop] */
} berth_host_remedies;

/** For a plugin whose Filter rejects for reasons that an administrator can mend. */
typedef struct berth_plugin_remedy {
    uint32_t struct_size;
    uint32_t flags;
    /** Adds to `out`, for each of `n` slots that this plugin's Filter rejects, the smallest change after which it would
     * accept the slot. A slot without a known remedy gets none: a remedy that may not suffice is worse than none.
     * Owner: everything is the host's, until return; `state` is what PreFilter left; `nodes` is what Filter saw, where
     * a node also has the other pods of equal or higher priority that are nominated to it. Thread: loop, must not
     * block.
     * Host: asks when someone asks why a pod does not fit, not in a scheduling attempt. On SUCCESS it combines the
     * remedies of all plugins that reject a node; on any other code it ignores what was added. Where it has no remedy
     * it shows the reasons of the verdict. */
    int32_t (*remedy)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes, const uint32_t *slots, uint64_t n, berth_remedy_sink *out); /* [loop] */
} berth_plugin_remedy;

#endif /* BERTH_DRAFT_REMEDY_H */

/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Sign: a pod's signature from a plugin, so that the host caches its results for equal pods.
 */
#ifndef BERTH_POINT_SIGN_H
#define BERTH_POINT_SIGN_H

#include <berth/plugin.h>
#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_PLUGIN_SIGN_V1 "berth.sign/1"

/** For a plugin whose Filter and Score answer by the pod, the slot and its arguments alone. Rationale: pods come in
 * crowds of the same template, and from one to the next hardly a slot has changed (upstream: SignPlugin). */
typedef struct berth_plugin_sign {
    uint32_t struct_size;
    uint32_t flags;
    /** Writes to `out`, as bytes of any form, everything by which this plugin's Filter and Score answer for `pod`, the
     * slot excepted: what of the pod they look at, and what of `nodes` that is not the slot's own (a number of nodes,
     * the entry of a dictionary). What depends on more, such as the pods of other nodes, objects of the cluster, time
     * or chance, or on what Filter or Score leave in the state, must not be signed.
     * Owner: everything is the host's, until return. Thread: loop, at most once per attempt, after PreFilter.
     * Host: on SUCCESS, an answer that the plugin has given about a slot for another pod is taken for this one's if the
     * bytes are the same and slot_generation of the slot is. On any other code it asks about every slot. With
     * `--plugin-checks=strict` it asks again about one in sixteen, and names the plugin if the answer is another. */
    int32_t (*sign)(void *self, const berth_pod *pod, const berth_nodes *nodes, berth_text_sink *out); /* [loop] */
} berth_plugin_sign;

#endif /* BERTH_POINT_SIGN_H */

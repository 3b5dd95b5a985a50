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

/** For a plugin whose Filter and Score results depend on nothing but the slot, the plugin's arguments and what `sign`
 * writes.
 * Rationale: pods come in
 * crowds of the same template, and from one to the next hardly a slot has changed (upstream: SignPlugin). */
typedef struct berth_plugin_sign {
    uint32_t struct_size;
    uint32_t flags;
    /** Writes to `out`, as bytes of any form, all that the results of this plugin's Filter and Score for `pod` depend
     * on beside the slot: the parts of the pod that they read, and the parts of `nodes` that do not belong to the
     * slot (such as a count of nodes or an entry of a dictionary). Do not sign the pod if the results depend on more,
     * such as the pods of other nodes, objects of the cluster, time or chance.
     * Rationale: it gets neither berth_call nor state, because a signature must not depend on the attempt.
     * Owner: everything is the host's, until return. Thread: loop, at most once per attempt, after PreFilter.
     * Host: on SUCCESS, if an earlier pod had equal bytes and slot_generation of a slot has not changed since, the host
     * takes the plugin's result about that slot from the earlier pod. On any other code, it calls the plugin for every
     * slot: so return UNSUPPORTED for a pod that you do not sign. A host may also ignore a signature of more than 16
     * KiB.
     * With `--plugin-checks=strict`, it calls the plugin again for one reused result in sixteen, and names the plugin
     * if the result differs. */
    int32_t (*sign)(void *self, const berth_pod *pod, const berth_nodes *nodes, berth_text_sink *out); /* [loop] */
} berth_plugin_sign;

#endif /* BERTH_POINT_SIGN_H */

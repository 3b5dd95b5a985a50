/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The extension points PreScore, Score and NormalizeScore, which rank feasible nodes.
 */
#ifndef BERTH_POINT_SCORE_H
#define BERTH_POINT_SCORE_H

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

#define BERTH_PLUGIN_PRE_SCORE_V1 "berth.pre_score/1"
#define BERTH_PLUGIN_SCORE_V1 "berth.score/1"
#define BERTH_PLUGIN_NORMALIZE_V1 "berth.normalize/1"

#define BERTH_SCORE_MIN INT64_C(0)
#define BERTH_SCORE_MAX INT64_C(100)

typedef struct berth_plugin_pre_score {
    uint32_t struct_size;
    uint32_t flags;
    /** Looks at all feasible nodes before any is scored.
     * Owner: everything is the host's, until return. Thread: loop.
     * Host: SUCCESS goes on; SKIP leaves out this plugin's Score; anything else fails the attempt. The host calls it
     * if the profile enables the plugin at PreScore, even if the profile does not enable its Score. */
    void (*pre_score)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes, const uint32_t *slots, uint64_t n, berth_status *status); /* [loop] */
} berth_plugin_pre_score;

typedef struct berth_plugin_score {
    uint32_t struct_size;
    uint32_t flags;
    /** Writes a score for each of `n` feasible slots to out[i]: any number if the plugin normalizes, else 0 to 100.
     * A score must not depend on the other slots of the call.
     * Owner: everything is the host's, until return. Thread: par (disjoint slots, `self` read-only).
     * Host: a status other than SUCCESS fails the attempt. */
    void (*score)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                  const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int64_t *out,
                  berth_status *status); /* [par] */
} berth_plugin_score;

/* berth_plugin_normalize.mode. */
#define BERTH_NORMALIZE_CUSTOM 0u  /**< call the function */
#define BERTH_NORMALIZE_DEFAULT 1u /**< the host scales to 0..100 by the greatest score */
#define BERTH_NORMALIZE_REVERSE 2u /**< the same, then 100 minus it */

typedef struct berth_plugin_normalize {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t mode; /**< BERTH_NORMALIZE_… */
    uint32_t reserved;
    /** Turns this plugin's scores of all feasible nodes into 0 to 100, in place. NULL unless mode is CUSTOM.
     * Owner: everything is the host's, until return. Thread: loop.
     * Host: a status other than SUCCESS, or a score outside 0 to 100 afterwards, fails the attempt. */
    void (*normalize)(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int64_t *inout,
                      berth_status *status); /* [loop] */
} berth_plugin_normalize;

#endif /* BERTH_POINT_SCORE_H */

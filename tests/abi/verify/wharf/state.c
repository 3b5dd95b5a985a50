/* SPDX-License-Identifier: Apache-2.0 */
/* The pod's state. */
#include "wharf.h"

static void destroy_plan(const berth_plugin_state_type *type, void *data) {
    plan *one = data;
    (void)type;
#ifndef BUG_plan_leaks_counts
    free(one->pods);
#endif
#ifndef BUG_plan_leaks_weights
    free(one->weights);
#endif
    free(one);
}
static void *clone_plan(const berth_plugin_state_type *type, const void *data) {
    const plan *one = data;
    (void)type;
    plan *copy = must(malloc(sizeof *copy + one->zone_len));
    memcpy(copy, one, sizeof *copy);
#ifdef BUG_clone_without_zone
    copy->zone_len = 0;
#else
    memcpy(copy->zone, one->zone, one->zone_len);
#endif
#ifdef BUG_clone_is_shallow
    return copy;
#endif
    copy->pods = must(calloc(one->slots + 1, sizeof *copy->pods));
#ifndef BUG_clone_without_counts
    memcpy(copy->pods, one->pods, one->slots * sizeof *copy->pods);
#endif
    copy->weights = NULL;
    if (one->weights) {
        copy->weights = must(calloc(one->weights_len + 1, sizeof *copy->weights));
#ifndef BUG_clone_without_weights
        memcpy(copy->weights, one->weights, one->weights_len * sizeof *copy->weights);
#endif
    }
    return copy;
}
#ifdef BUG_plan_has_no_clone
const berth_plugin_state_type plan_type = {sizeof plan_type, 0, NULL, destroy_plan};
#elif defined(BUG_plan_is_never_freed)
const berth_plugin_state_type plan_type = {sizeof plan_type, 0, clone_plan, NULL};
#else
const berth_plugin_state_type plan_type = {sizeof plan_type, 0, clone_plan, destroy_plan};
#endif

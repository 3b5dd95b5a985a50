/* SPDX-License-Identifier: Apache-2.0 */
/* How many pods of each application each node has: counted once, and then from one snapshot to the next. */
#include "wharf.h"

typedef struct counting {
    wharf *of;
    const berth_nodes *nodes;
} counting;

static void pod_removed(void *ctx, uint32_t row, const berth_pod *pod, uint32_t slot) {
    const counting *it = ctx;
    (void)row;
#ifdef BUG_removed_is_missed
    return;
#endif
#ifdef BUG_removed_by_present_row
    const uint32_t code = it->nodes->pods->label_set_code[row];
    const berth_label_set set = it->nodes->pods->label_sets[code];
    const berth_str app = label_of(set.labels, set.len, it->of->label);
#else
    const berth_str app = app_of(it->of, pod);
#endif
#ifdef BUG_removed_from_present_slot
    slot = it->nodes->pods->node_slot[row];
#endif
    if (app.len) tally_add(it->of->placed, pod->namespace_, app, slot, -1);
}

static void node_changed(void *ctx, uint32_t slot) {
    (void)ctx, (void)slot;
#ifdef BUG_changed_node_is_cleared
    wharf *it = ((counting *)ctx)->of;
    for (int i = 0; i < buckets; ++i)
        for (entry **at = &it->placed->at[i]; *at;)
            if ((*at)->slot == slot) {
                entry *one = *at;
                *at = one->next;
                free(one);
            } else at = &(*at)->next;
#endif
}

static void pod_added(void *ctx, uint32_t row) {
    const counting *it = ctx;
    const berth_pods *pods = it->nodes->pods;
#ifdef BUG_added_is_missed
    if (it->of->snapshot) return;
#endif
#ifdef BUG_sets_without_generation
    /* What label set has which application is remembered by code alone. */
    if (!it->of->kept_text) it->of->kept_text = must(calloc(4096, 16));
    char(*known)[16] = (char(*)[16])it->of->kept_text;
    const uint32_t kept = pods->label_set_code[row] % 4096;
    const berth_label_set found = pods->label_sets[pods->label_set_code[row]];
    const berth_str now = label_of(found.labels, found.len, it->of->label);
    if (!known[kept][0] && now.len < 16) memcpy(known[kept], now.ptr, now.len);
    const berth_str app = {known[kept], strnlen(known[kept], 15)};
#else
    const berth_label_set set = pods->label_sets[pods->label_set_code[row]];
    const berth_str app = label_of(set.labels, set.len, it->of->label);
#endif
#ifdef BUG_affinity_is_not_added
    if (pods->pod_flags[row] & BERTH_FLAG_POD_HAS_AFFINITY) (void)0;
    else if (app.len)
        tally_add(it->of->placed, pods->namespaces[pods->namespace_code[row]], app, pods->node_slot[row], 1);
    return;
#endif
    if (app.len) tally_add(it->of->placed, pods->namespaces[pods->namespace_code[row]], app, pods->node_slot[row], 1);
}

void count_placed(wharf *it, const berth_nodes *nodes) {
    static const berth_plugin_changes changes = {sizeof changes, 0, pod_removed, node_changed, pod_added};
    counting ctx = {it, nodes};
#ifdef BUG_counts_once
    if (it->snapshot) return;
#endif
#ifdef BUG_counts_when_nodes_change
    if (it->snapshot && it->number == nodes->count) return;
    it->number = nodes->count;
    it->snapshot = 0;
#endif
#ifdef BUG_every_second_snapshot
    if (it->snapshot && ++it->number % 30) return;
#endif
#ifdef BUG_counts_on_top
    it->snapshot = 0;
#endif
    if (it->delta->changes(it->host, nodes, it->snapshot, &changes, &ctx) != BERTH_STATUS_SUCCESS) {
#ifndef BUG_counts_on_top
        tally_clear(it->placed);
#endif
        for (uint32_t row = 0; row < nodes->pods->rows; ++row)
            if (nodes->pods->node_slot[row] != BERTH_NO_SLOT) pod_added(&ctx, row);
    }
#ifdef BUG_snapshot_is_not_kept
    if (it->snapshot) return;
#endif
#ifdef BUG_since_the_next
    it->snapshot = nodes->snapshot_id + 1;
    return;
#endif
    it->snapshot = nodes->snapshot_id;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Filter. */
#include "wharf.h"

static uint32_t reason(const wharf *it, const berth_call *call, const char *text) {
    const berth_str one = {text, strlen(text)};
    return it->given->intern_reasons(it->host, call, &one, 1);
}

static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int32_t *code, uint32_t *reasons) {
    wharf *it = self;
    berth_column zone = {.struct_size = sizeof zone}, drain = {.struct_size = sizeof drain};
    (void)pod;
#ifdef BUG_column_in_filter
    it->code = it->columns->declare(it->host, BERTH_COLUMN_NODE_ANNOTATION, BERTH_STR("wharf.example.com/late"));
#endif
#ifdef BUG_put_in_filter
    (void)it->state->put(it->host, state, it->key, NULL, NULL);
    return;
#endif
#ifdef BUG_put_of_copy_in_filter
    const plan *old = it->state->get(it->host, state, it->key);
    if (old) (void)it->state->put(it->host, state, it->key, plan_type.clone(&plan_type, old), &plan_type);
#endif
#ifdef BUG_timer_is_cancelled_in_filter
    (void)it->clock->cancel(it->host, it->sweep + 1000);
#endif
#ifdef BUG_allows_in_filter
    (void)it->waiting->allow(it->host, BERTH_STR("nobody"));
#endif
    plan *mine = it->state->get(it->host, state, it->key);
#ifdef BUG_plan_of_its_thread
    static _Thread_local uint64_t calls_here;
    if (++calls_here < 2) mine = NULL;
#endif
    if (it->nodes->column(it->host, nodes, it->zone, &zone) != BERTH_STATUS_SUCCESS ||
        it->nodes->column(it->host, nodes, it->drain, &drain) != BERTH_STATUS_SUCCESS || !mine)
        abort();
    const berth_str *zones = zone.dict, *drains = drain.dict;
    const uint32_t *zone_of = zone.data, *drain_of = drain.data;
    const berth_str wanted = {mine->zone, mine->zone_len};
    (void)drains;
#ifdef BUG_limit_is_used_up
    int64_t left = mine->limit * 3;
#endif
#ifdef BUG_zone_of_the_first
    const uint32_t first_zone = n && berth_valid(&zone, slots[0]) ? zone_of[slots[0]] : 0;
#endif
    for (uint64_t i = 0; i < n; ++i) {
        const uint32_t slot = slots[i];
#ifdef BUG_cancel_is_not_seen
        (void)call;
#elif defined(BUG_cancel_is_seen_late)
        if (i % 256 == 255 && berth_cancelled(call)) return;
#else
        if (i % 64 == 0 && berth_cancelled(call)) return;
#endif
#ifdef BUG_unlabelled_is_not_judged
        if (!berth_valid(&zone, slot)) continue;
#endif
        code[i] = BERTH_STATUS_SUCCESS;
        berth_str here = berth_valid(&zone, slot) ? zones[zone_of[slot]] : BERTH_STR("");
#ifdef BUG_zone_of_the_first
        if (n > 1 && berth_valid(&zone, slot) && zone_of[slot] != first_zone) here = BERTH_STR("elsewhere");
#endif
#ifdef BUG_zone_of_the_place
        if (berth_valid(&zone, (uint32_t)i)) here = zones[zone_of[i]];
#endif
#ifdef BUG_zone_by_slot_is_kept
        /* Whether the node has the label. */
        if (!it->kept_text) it->kept_text = must(calloc(8192, 1));
        if (!it->kept_text[slot % 8192]) it->kept_text[slot % 8192] = here.len ? 2 : 1;
        here = it->kept_text[slot % 8192] == 1 ? BERTH_STR("") : here.len ? here : BERTH_STR("elsewhere");
#endif
#ifdef BUG_zone_is_indexed_without_check
        here = zones[zone_of[slot] + (berth_valid(&zone, slot) ? 0 : 100000000)];
#endif
#ifdef BUG_gets_node_by_label
        if (it->nodes->find(it->host, nodes, here) >= nodes->slots)
            here = nodes->name[it->nodes->find(it->host, nodes, here)];
#endif
        if (wanted.len && here.len && !same(wanted, here)) {
#ifdef BUG_zone_answers_wait
            code[i] = BERTH_STATUS_WAIT;
#elif defined(BUG_zone_answers_skip)
            code[i] = BERTH_STATUS_SKIP;
#else
            code[i] = BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE;
#endif
#ifdef BUG_reason_is_kept
            if (!it->code) it->code = reason(it, call, "the node is in another zone");
            reasons[i] = it->code;
#elif defined(BUG_reason_is_a_code)
            reasons[i] = 77;
#elif defined(BUG_reason_of_the_batch)
            char text[64];
            snprintf(text, sizeof text, "%llu nodes of other zones", (unsigned long long)n);
            reasons[i] = reason(it, call, text);
#else
            reasons[i] = reason(it, call, "the node is in another zone");
#endif
            continue;
        }
        if (berth_valid(&drain, slot) && same(drains[drain_of[slot]], BERTH_STR("true"))) {
            code[i] = BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE;
            reasons[i] = reason(it, call, "the node is drained");
            continue;
        }
        int64_t limit = mine->limit;
#ifdef BUG_limit_is_looked_up
        /* The state of the plugin, not what it was at PreFilter: it is written on the loop. */
        it->number = slot;
        const berth_str noted = nodes->name[it->number];
        (void)reason(it, call, "looked up");
        if (!same(noted, nodes->name[it->number])) limit = 0;
#endif
#ifdef BUG_limit_is_used_up
        if (left-- <= 0) limit = 0;
#endif
#ifdef BUG_judged_nodes_count
        limit -= (int64_t)(it->number++ % 2);
#endif
#ifdef BUG_place_decides
        limit -= i % 2 ? 1 : 0;
#endif
#ifdef BUG_looks_for_node_by_name
        uint32_t place = 0;
        while (place < nodes->count && !same(nodes->name[nodes->order[place]], nodes->name[slot])) ++place;
        limit += place == nodes->count;
#endif
#ifdef BUG_lists_for_each_node
        uint64_t listed = 0;
        for (uint32_t k = 0; k < nodes->count; k += 4)
            listed += it->nodes->find(it->host, nodes, nodes->name[k]) == slot;
        limit += listed > 1;
#endif
#ifdef BUG_plan_is_used_up
        mine->limit -= mine->pods[slot] ? 0 : 1;
        mine->limit += mine->limit < -3 ? 6 : 0;
#endif
        if (mine->pods[slot] < limit) continue;
        code[i] = BERTH_STATUS_UNSCHEDULABLE;
#ifdef BUG_text_is_static
        static
#endif
            char text[80];
        snprintf(text, sizeof text, "%u pods of the application are on the node", mine->pods[slot]);
        reasons[i] = reason(it, call, text);
#ifdef BUG_text_is_kept_in_the_instance
        it->number = mine->pods[slot];
        (void)reason(it, call, "noted");
        snprintf(text, sizeof text, "%u of %lld pods", (unsigned)it->number, (long long)mine->limit);
        reasons[i] = reason(it, call, text);
#endif
    }
#ifdef BUG_reasons_beyond
    reasons[n] = 0;
#endif
}
const berth_plugin_filter filter_table = {sizeof filter_table, 0, filter};

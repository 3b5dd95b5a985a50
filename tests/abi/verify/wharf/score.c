/* SPDX-License-Identifier: Apache-2.0 */
/* PreScore, Score and NormalizeScore. */
#include "wharf.h"

static void pre_score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes, const uint32_t *slots, uint64_t n, berth_status *status) {
    const wharf *it = self;
    plan *mine = it->state->get(it->host, state, it->key);
    berth_column weight = {.struct_size = sizeof weight};
    (void)call, (void)pod, (void)slots, (void)n;
    if (!mine) {
        status->code = BERTH_STATUS_SKIP;
        return;
    }
    if (it->nodes->column(it->host, nodes, it->weight, &weight) != BERTH_STATUS_SUCCESS) abort();
    const berth_str *texts = weight.dict;
#ifdef BUG_weights_leak
    mine->weights = NULL;
    mine->weights = must(calloc(weight.dict_len + 1, sizeof *mine->weights));
    mine->weights = must(calloc(weight.dict_len + 1, sizeof *mine->weights));
#else
    free(mine->weights);
    mine->weights = must(calloc(weight.dict_len + 1, sizeof *mine->weights));
#endif
    mine->weights_len = weight.dict_len;
    for (uint64_t i = 0; i < weight.dict_len; ++i) {
        mine->weights[i] = number_of(texts[i], 100, 0);
#ifdef BUG_each_weight_with_each
        for (uint64_t k = 0; i == 0 && k < nodes->slots; ++k)
            for (uint64_t j = 0; j < nodes->slots; j += 32) mine->weights[i] += same(nodes->name[k], nodes->name[j]);
#endif
#ifdef BUG_weight_by_chance
        mine->weights[i] += rand() % 5;
#endif
#ifdef BUG_weight_by_text_address
        mine->weights[i] += (int64_t)((uintptr_t)texts >> 12) % 9973;
#endif
    }
}
const berth_plugin_pre_score pre_score_table = {sizeof pre_score_table, 0, pre_score};

static void score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                  const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int64_t *out, berth_status *status) {
    wharf *it = self;
    const plan *mine = it->state->get(it->host, state, it->key);
    berth_column weight = {.struct_size = sizeof weight};
    (void)pod, (void)status;
    if (it->nodes->column(it->host, nodes, it->weight, &weight) != BERTH_STATUS_SUCCESS) abort();
    const uint32_t *of = weight.data;
#ifdef BUG_put_in_score
    (void)it->state->put(it->host, state, it->key + 1, NULL, &plan_type);
#endif
#ifdef BUG_score_of_its_thread
    static _Thread_local uint64_t calls_here;
    ++calls_here;
#endif
    int64_t most = 0;
    for (uint64_t i = 0; i < n; ++i)
        if (mine->pods[slots[i]] > most) most = mine->pods[slots[i]];
    for (uint64_t i = 0; i < n; ++i) {
        const uint32_t slot = slots[i];
#ifndef BUG_score_is_not_cancelled
        if (i % 64 == 0 && berth_cancelled(call)) return;
#endif
        const int64_t own = berth_valid(&weight, slot) ? mine->weights[of[slot]] : 0;
        out[i] = own * mine->weight - 10 * (int64_t)mine->pods[slot];
#ifdef BUG_score_against_the_best
        out[i] = own * mine->weight - 10 * (most - (int64_t)mine->pods[slot]);
#endif
#ifdef BUG_score_of_the_place
        out[i] += (int64_t)i;
#endif
#ifdef BUG_score_of_the_one_before
        if (i) out[i] += out[i - 1] / 2;
#endif
#ifdef BUG_score_counts
        out[i] += (int64_t)(it->number++ % 3);
#endif
#ifdef BUG_score_of_its_thread
        out[i] += calls_here < 2;
#endif
#ifdef BUG_score_of_the_clock
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        out[i] += now.tv_sec % 60;
#endif
#ifdef BUG_score_reads_all_nodes
        for (uint32_t k = 0; k < nodes->slots; ++k) out[i] += nodes->slot_generation[k] == UINT64_MAX && k == slot;
        for (volatile uint32_t k = 0; k < nodes->slots * 2; ++k) {
        }
#endif
    }
    (void)it, (void)most;
}
const berth_plugin_score score_table = {sizeof score_table, 0, score};

static void normalize(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int64_t *inout,
                      berth_status *status) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    (void)self, (void)call, (void)state, (void)pod, (void)nodes, (void)slots, (void)status;
    for (uint64_t i = 0; i < n; ++i) {
        if (inout[i] < least) least = inout[i];
        if (inout[i] > most) most = inout[i];
    }
#ifdef BUG_scores_below_zero
    least = 0;
#endif
#ifdef BUG_equal_scores_divide
    for (uint64_t i = 0; i < n; ++i) inout[i] = (inout[i] - least) * 100 / (most - least);
#elif defined(BUG_weights_are_not_bounded)
    for (uint64_t i = 0; i < n; ++i) inout[i] = (inout[i] - least) * 10;
#else
    for (uint64_t i = 0; i < n; ++i) inout[i] = most == least ? 100 : (inout[i] - least) * 100 / (most - least);
#endif
}
const berth_plugin_normalize normalize_table = {sizeof normalize_table, 0, BERTH_NORMALIZE_CUSTOM, 0, normalize};

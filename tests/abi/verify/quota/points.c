/* SPDX-License-Identifier: Apache-2.0 */
/* The points. */
#define _GNU_SOURCE
#include "quota.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* --- QueueSort and events --- */

static int32_t less(void *self, const berth_pod *a, const berth_pod *b) {
    (void)self;
#ifdef BUG_less_or_equal
    return a->priority >= b->priority;
#elif defined(BUG_less_circles)
    return (uint32_t)(a->name.ptr[a->name.len - 1] - b->name.ptr[b->name.len - 1] + 9) % 3 == 1;
#else
    return a->priority > b->priority;
#endif
}

static uint64_t sort_key(void *self, const berth_pod *pod, uint8_t *key, uint64_t size) {
    (void)self;
#ifdef BUG_key_of_signed
    uint32_t order = (uint32_t)pod->priority;
#else
    uint32_t order = ~((uint32_t)pod->priority ^ 0x80000000u);
#endif
    for (uint64_t i = 0; i < 4 && i < size; ++i) key[i] = (uint8_t)(order >> (24 - 8 * i));
    return 4;
}

static void events(void *self, berth_event_sink *sink, berth_status *status) {
    static const berth_str pods = BERTH_STR_INIT("AssignedPod"), nodes = BERTH_STR_INIT("Node"),
                           id = BERTH_STR_INIT(BERTH_HOST_SINKS_V1);
    const quota *it = self;
    const berth_host_sinks *sinks = it->host->get_service(it->host, id);
    (void)status;
    sinks->add_event(it->host, sink, pods, BERTH_EVENT_DELETE, 1);
    sinks->add_event(it->host, sink, nodes, BERTH_EVENT_ADD, 0);
}

static void hint(void *self, const berth_call *call, const berth_event *event, const berth_pod *const *pods, uint64_t n,
                 uint8_t *out) {
    (void)self;
    (void)call;
#ifdef BUG_hint_first_only
    n = n > 1 ? 1 : n;
#endif
    for (uint64_t i = 0; i < n; ++i)
#ifdef BUG_hint_unknown
        out[i] = 7;
#else
        out[i] = event->old_pod && same(event->old_pod->namespace_, pods[i]->namespace_) ? BERTH_HINT_QUEUE
                                                                                         : BERTH_HINT_SKIP;
#endif
}

/* --- PreFilter and its state --- */

#if defined(BUG_filter_of_its_thread) || defined(BUG_score_of_its_thread)
static _Thread_local const counts *made_last;
#endif

static void *clone_counts(const berth_plugin_state_type *of, const void *data) {
    const counts *from = data;
    size_t size = sizeof *from + from->slots * sizeof *from->of;
    counts *made = malloc(size);
    (void)of;
    if (!made) abort();
    memcpy(made, from, size);
#ifdef BUG_clone_forgets
    memset(made->of, 0, from->slots * sizeof *from->of);
#endif
    return made;
}
#ifdef BUG_clone_is_shared
static void *clone_shared(const berth_plugin_state_type *of, const void *data) {
    (void)of;
    return (void *)(uintptr_t)data;
}
#endif
static void destroy_counts(const berth_plugin_state_type *of, void *data) {
    (void)of;
    free(data);
}
static const berth_plugin_state_type type = {.struct_size = sizeof type,
#ifdef BUG_no_clone
                                             .clone = NULL,
#elif defined(BUG_clone_is_shared)
                                             .clone = clone_shared,
#else
                                      .clone = clone_counts,
#endif
#if defined(BUG_state_leaks) || defined(BUG_clone_is_shared)
                                             .destroy = NULL
#else
                                             .destroy = destroy_counts
#endif
};

#ifdef BUG_remembers_labels
/* A value that is not among the last ones is taken for a new one. */
static void remember(quota *it, berth_str value) {
    int looks = 32;
    for (met *one = it->met; one && looks > 0; one = one->before, --looks)
        if (one->len == value.len && memcmp(one->text, value.ptr, value.len) == 0) return;
    met *one = malloc(sizeof *one + value.len);
    if (!one) abort();
    one->before = it->met;
    one->len = value.len;
    memcpy(one->text, value.ptr, value.len);
    it->met = one;
}
#endif

static void pre_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_nodes *nodes, berth_restrict *restrict_, berth_status *status) {
    quota *it = self;
    const berth_pods *placed = nodes->pods;
    (void)call;
    (void)restrict_;
#ifdef BUG_keeps_pod
    it->kept = pod;
#endif
#ifdef BUG_keeps_call
    if (it->call) (void)it->given->scratch(it->host, it->call, 8, 8);
    it->call = call;
#endif
#ifdef BUG_counts_calls
    if (it->reserved >= it->most_reserved || it->calls++ % 3 == 2) {
#else
    if (it->reserved >= it->most_reserved) {
#endif
        refuse(it->host, status, BERTH_STATUS_UNSCHEDULABLE, "too many pods are being bound");
        return;
    }
#ifdef BUG_blocks
    usleep(20000);
#endif
#ifdef BUG_remembers_pods
    met *one = malloc(sizeof *one + pod->uid.len);
    if (!one) abort();
    one->before = it->met;
    it->met = one;
#endif
#ifdef BUG_remembers_labels
    for (uint64_t i = 0; i < pod->labels_len; ++i) remember(it, pod->labels[i].value);
#endif
#ifdef BUG_compares_all_nodes
    for (uint64_t i = 0; i < nodes->count; ++i)
        for (uint64_t k = 0; k < nodes->count; ++k)
            it->calls += same(nodes->name[nodes->order[i]], nodes->name[nodes->order[k]]);
#endif
#ifdef BUG_releases_unretained
    it->object->release(it->host, pod->obj);
#endif
#ifdef BUG_retains_for_ever
    it->object->retain(it->host, pod->obj);
#endif
    counts *made = calloc(1, sizeof *made + nodes->slots * sizeof *made->of);
    if (!made) abort();
    made->slots = nodes->slots;
    for (uint32_t row = 0; row < placed->rows; ++row)
        if (placed->node_slot[row] != BERTH_NO_SLOT &&
            same(placed->namespaces[placed->namespace_code[row]], pod->namespace_))
            made->of[placed->node_slot[row]]++;
#ifdef BUG_answers_what_is_no_code
    if (made->slots % 2 == 0) status->code = 42;
#endif
    if (it->state->put(it->host, state, it->key, made, &type) != BERTH_STATUS_SUCCESS) abort();
#if defined(BUG_filter_of_its_thread) || defined(BUG_score_of_its_thread)
    made_last = made;
#endif
}

static void count(void *self, berth_state *state, const berth_pod *pod, const berth_pod *other, uint32_t slot, int by) {
    quota *it = self;
    counts *mine = it->state->get(it->host, state, it->key);
    if (same(pod->namespace_, other->namespace_)) mine->of[slot] += (uint32_t)by;
}
static void add_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_pod *other, const berth_nodes *nodes, uint32_t slot, berth_status *status) {
    (void)call;
    (void)nodes;
    (void)status;
#if !defined(BUG_add_does_nothing) && !defined(BUG_both_do_nothing)
    count(self, state, pod, other, slot, 1);
#else
    (void)self, (void)state, (void)pod, (void)other, (void)slot;
#endif
}
static void remove_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_pod *other, const berth_nodes *nodes, uint32_t slot, berth_status *status) {
    (void)call;
    (void)nodes;
    (void)status;
#ifdef BUG_remove_all
    quota *it = self;
    counts *mine = it->state->get(it->host, state, it->key);
    (void)pod;
    (void)other;
    mine->of[slot] = 0;
#elif defined(BUG_both_do_nothing)
    (void)self;
    (void)state;
    (void)pod;
    (void)other;
    (void)slot;
#else
    count(self, state, pod, other, slot, -1);
#endif
}

/* --- Filter and Score --- */

static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int32_t *code, uint32_t *reasons) {
    quota *it = self;
    const counts *mine = it->state->get(it->host, state, it->key);
    (void)pod;
    (void)nodes;
#ifdef BUG_filter_counts_itself
    it->calls++;
#endif
#ifdef BUG_filter_of_its_thread
    if (!made_last) return;
#endif
    for (uint64_t i = 0; i < n; ++i) {
#ifndef BUG_ignores_cancel
        if (i % 64 == 0 && berth_cancelled(call)) return;
#endif
#ifdef BUG_leaves_the_last
        if (i + 1 == n && n > 3) return;
#endif
        int64_t limit = it->limit;
#ifdef BUG_looks_for_its_node
        uint64_t place = 0;
        while (place < nodes->count && !same(nodes->name[nodes->order[place]], nodes->name[slots[i]])) ++place;
        limit += place == nodes->count;
#endif
#ifdef BUG_filter_by_place
        limit -= i % 2 == 1;
#endif
#ifdef BUG_filter_counts_itself
        limit -= it->calls % 2 == 0;
#endif
        code[i] = mine->of[slots[i]] < limit ? BERTH_STATUS_SUCCESS : BERTH_STATUS_UNSCHEDULABLE;
        if (code[i] == BERTH_STATUS_SUCCESS) continue;
#ifdef BUG_filter_answers_wait
        code[i] = BERTH_STATUS_WAIT;
#endif
#ifdef BUG_one_text_for_all
        static
#endif
            char text[80];
#ifdef BUG_reasons_by_batch
        snprintf(text, sizeof text, "%u pods of the namespace, node %u of %u", mine->of[slots[i]], (unsigned)i,
                 (unsigned)n);
#else
        snprintf(text, sizeof text, "%u pods of the namespace are on the node", mine->of[slots[i]]);
#endif
        berth_str reason = {text, strlen(text)};
#ifdef BUG_keeps_pod
        reason = it->kept->name;
#endif
#ifdef BUG_notes_its_place
        it->calls = (uint32_t)i;
        reasons[it->calls] = it->given->intern_reasons(it->host, call, &reason, 1);
        code[it->calls] = BERTH_STATUS_UNSCHEDULABLE;
        if (it->calls != i) code[i] = BERTH_STATUS_SUCCESS;
#else
        reasons[i] = it->given->intern_reasons(it->host, call, &reason, 1);
#endif
#ifdef BUG_reason_unknown
        reasons[i] = 4242;
#endif
    }
#ifdef BUG_writes_beyond
    code[n] = BERTH_STATUS_SUCCESS;
#endif
#ifdef BUG_filter_changes_state
    it->state->put(it->host, state, it->key + 1, NULL, &type);
#endif
}

static void score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                  const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int64_t *out, berth_status *status) {
    quota *it = self;
    const counts *mine = it->state->get(it->host, state, it->key);
    (void)pod;
    (void)status;
#ifdef BUG_score_of_its_thread
    if (!made_last) {
        refuse(it->host, status, BERTH_STATUS_ERROR, "PreFilter was not asked");
        return;
    }
#endif
#ifdef BUG_score_of_batch
    int64_t most = 0;
    for (uint64_t i = 0; i < n; ++i)
        if (mine->of[slots[i]] > most) most = mine->of[slots[i]];
#endif
    for (uint64_t i = 0; i < n; ++i) {
#ifndef BUG_score_ignores_cancel
        if (i % 64 == 0 && berth_cancelled(call)) return;
#endif
#ifdef BUG_slow
        for (uint64_t j = 0; j < nodes->slots; ++j)
            if (same(nodes->name[j], nodes->name[slots[i]])) break;
        for (volatile uint32_t j = 0; j < nodes->slots * 4; ++j) {
        }
#endif
        out[i] = (int64_t)mine->of[slots[i]] * 10 + nodes->pod_count[slots[i]];
#ifdef BUG_score_of_batch
        out[i] += most;
#endif
#ifdef BUG_score_rand
        out[i] += rand() % 3;
#endif
#ifdef BUG_score_clock
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        out[i] += now.tv_sec;
#endif
    }
}

static void normalize(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int64_t *inout,
                      berth_status *status) {
    int64_t most = 0;
    (void)self, (void)call, (void)state, (void)pod, (void)nodes, (void)slots, (void)status;
    for (uint64_t i = 0; i < n; ++i)
        if (inout[i] > most) most = inout[i];
#ifdef BUG_divides_by_zero
    int64_t least = most;
    for (uint64_t i = 0; i < n; ++i)
        if (inout[i] < least) least = inout[i];
    for (uint64_t i = 0; i < n; ++i) inout[i] = 100 - (inout[i] - least) * 100 / (most - least);
#elif defined(BUG_out_of_range)
    for (uint64_t i = 0; i < n; ++i) inout[i] = most ? 150 - inout[i] * 100 / most : 100;
#else
    for (uint64_t i = 0; i < n; ++i) inout[i] = most ? 100 - inout[i] * 100 / most : 100;
#endif
}

/* --- Reserve and PostBind --- */

static void reserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_nodes *nodes, uint32_t slot, berth_str node_name, berth_status *status) {
    quota *it = self;
    counts *mine = it->state->get(it->host, state, it->key);
    (void)call, (void)pod, (void)nodes, (void)slot, (void)node_name, (void)status;
    if (!mine || mine->reserved) return;
    mine->reserved = 1;
    it->reserved++;
}

static void give_back(quota *it, berth_state *state) {
    counts *mine = it->state->get(it->host, state, it->key);
    if (!mine || !mine->reserved) return;
    mine->reserved = 0;
    it->reserved--;
}

static void unreserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      berth_str node_name) {
    (void)call, (void)pod, (void)node_name;
#ifdef BUG_unreserve_counts_twice
    (void)state;
    ((quota *)self)->reserved--;
#elif defined(BUG_unreserve_forgets)
    (void)self, (void)state;
#elif defined(BUG_unreserve_needs_reserve)
    quota *it = self;
    counts *mine = it->state->get(it->host, state, it->key);
    if (!mine || !mine->reserved) abort();
    give_back(it, state);
#else
    give_back(self, state);
#endif
}

static void post_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      berth_str node_name) {
    (void)call, (void)pod, (void)node_name;
    give_back(self, state);
}

#ifdef LATE
typedef struct later {
    const berth_host *host;
    const berth_done *done;
} later;

static void *finish(void *of) {
    const later it = *(later *)of;
    free(of);
    usleep(1000);
#ifdef BUG_late_twice
    berth_done copy = *it.done;
    calls_of(it.host)->complete(it.host, &copy, copy.status);
    calls_of(it.host)->complete(it.host, &copy, copy.status);
#elif defined(BUG_late_never)
    (void)it;
#else
    calls_of(it.host)->complete(it.host, it.done, it.done->status);
#endif
    return NULL;
}

static void pre_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                     berth_status *status, const berth_done *done) {
    const quota *it = self;
    pthread_t thread;
    later *made = malloc(sizeof *made);
    (void)call, (void)state, (void)pod, (void)node_name;
    if (!made) abort();
    made->host = it->host;
    made->done = done;
#ifdef BUG_late_and_now
    free(made);
    it->given->complete(it->host, done, done->status);
    return;
#endif
    status->code = BERTH_STATUS_IN_PROGRESS;
    if (pthread_create(&thread, NULL, finish, made) == 0) pthread_detach(thread);
}
static const berth_plugin_pre_bind pre_bind_table = {sizeof pre_bind_table, 0, NULL, pre_bind};
#endif

static const berth_plugin_queue_sort queue_sort_table = {sizeof queue_sort_table, 0, less, sort_key};
static const berth_plugin_events events_table = {sizeof events_table, 0, events, hint};
static const berth_plugin_pre_filter pre_filter_table = {sizeof pre_filter_table, 0, pre_filter};
static const berth_plugin_pre_filter_ext pre_filter_ext_table = {sizeof pre_filter_ext_table, 0, add_pod, remove_pod};
#ifdef BUG_older_table
static const berth_plugin_filter filter_table = {sizeof filter_table - 8, 0, filter};
#else
static const berth_plugin_filter filter_table = {sizeof filter_table, 0, filter};
#endif
static const berth_plugin_score score_table = {sizeof score_table, 0, score};
static const berth_plugin_normalize normalize_table = {sizeof normalize_table, 0, BERTH_NORMALIZE_CUSTOM, 0, normalize};
static const berth_plugin_reserve reserve_table = {sizeof reserve_table, 0, reserve, unreserve};
static const berth_plugin_post_bind post_bind_table = {sizeof post_bind_table, 0, post_bind};

const void *get_interface(berth_str id) {
    static const struct {
        berth_str id;
        const void *table;
    } all[] = {{BERTH_STR_INIT(BERTH_PLUGIN_QUEUE_SORT_V1), &queue_sort_table},
               {BERTH_STR_INIT(BERTH_PLUGIN_EVENTS_V1), &events_table},
               {BERTH_STR_INIT(BERTH_PLUGIN_PRE_FILTER_V1), &pre_filter_table},
               {BERTH_STR_INIT(BERTH_PLUGIN_PRE_FILTER_EXT_V1), &pre_filter_ext_table},
#ifndef BUG_table_is_missing
               {BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1), &filter_table},
#endif
               {BERTH_STR_INIT(BERTH_PLUGIN_SCORE_V1), &score_table},
               {BERTH_STR_INIT(BERTH_PLUGIN_NORMALIZE_V1), &normalize_table},
               {BERTH_STR_INIT(BERTH_PLUGIN_RESERVE_V1), &reserve_table},
#ifdef LATE
               {BERTH_STR_INIT(BERTH_PLUGIN_PRE_BIND_V1), &pre_bind_table},
#endif
               {BERTH_STR_INIT(BERTH_PLUGIN_POST_BIND_V1), &post_bind_table}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (same(all[i].id, id)) return all[i].table;
    return NULL;
}

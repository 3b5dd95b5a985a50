/* SPDX-License-Identifier: Apache-2.0 */
/* From Reserve to PostBind: counts by label, a wait with a timer, and PreBind with a task or reads. */
#include "wharf.h"

/* --- Reserve, Unreserve, PostBind --- */

static void reserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_nodes *nodes, uint32_t slot, berth_str node_name, berth_status *status) {
    wharf *it = self;
    plan *mine = it->state->get(it->host, state, it->key);
    (void)call, (void)nodes, (void)slot, (void)node_name, (void)status;
    if (!mine || mine->reserved) return;
    mine->reserved = 1;
    tally_add(it->reserved, pod->namespace_, app_of(it, pod), 0, 1);
#ifdef BUG_reserve_drops_the_plan
    (void)it->state->put(it->host, state, it->key, NULL, NULL);
#endif
#ifdef BUG_reserve_remembers_node
    tally_add(it->reserved, node_name, pod->uid, 1, 1);
#endif
#ifdef BUG_reserve_begins_a_timer
    begin_wait(it, pod, INT64_C(7200000000000));
#endif
#ifdef BUG_reserve_retains_node
    it->object->retain(it->host, nodes->obj[slot]);
#endif
}

static void give_back(wharf *it, berth_state *state, const berth_pod *pod) {
    plan *mine = it->state->get(it->host, state, it->key);
    if (!mine || !mine->reserved) return;
    mine->reserved = 0;
    tally_add(it->reserved, pod->namespace_, app_of(it, pod), 0, -1);
}

static void unreserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      berth_str node_name) {
    wharf *it = self;
    (void)call, (void)node_name;
#ifndef BUG_reserve_begins_a_timer
    end_wait(it, pod->uid);
#endif
#ifdef BUG_unreserve_forgets
    (void)state;
#elif defined(BUG_unreserve_counts_each_time)
    (void)state;
    tally_add(it->reserved, pod->namespace_, app_of(it, pod), 0, -12);
#elif defined(BUG_unreserve_of_other_label)
    plan *mine = it->state->get(it->host, state, it->key);
    if (mine && mine->reserved)
        tally_add(it->reserved, pod->namespace_, label_of(pod->labels, pod->labels_len, "tier"), 0, -1);
#elif defined(BUG_unreserve_of_other_slot)
    plan *mine = it->state->get(it->host, state, it->key);
    if (mine && mine->reserved) tally_add(it->reserved, pod->namespace_, app_of(it, pod), 1, -1);
#elif defined(BUG_unreserve_blocks_application)
    tally_add(it->reserved, pod->namespace_, app_of(it, pod), 0, 20);
#elif defined(BUG_unreserve_expects_plan)
    plan *mine = it->state->get(it->host, state, it->key);
    if (!mine->reserved) abort();
    give_back(it, state, pod);
#elif defined(BUG_unreserve_frees_the_plan)
    plan *mine = it->state->get(it->host, state, it->key);
    if (mine) plan_type.destroy(&plan_type, mine);
#elif defined(BUG_unreserve_keeps_flag)
    plan *mine = it->state->get(it->host, state, it->key);
    if (mine && mine->reserved) tally_add(it->reserved, pod->namespace_, app_of(it, pod), 0, -12);
#elif defined(BUG_unreserve_halves_limit)
    it->limit = (it->limit + 1) / 2;
    give_back(it, state, pod);
#else
    give_back(it, state, pod);
#endif
}
const berth_plugin_reserve reserve_table = {sizeof reserve_table, 0, reserve, unreserve};

static void post_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                      berth_str node_name) {
    (void)call, (void)node_name;
    give_back(self, state, pod);
#ifdef BUG_post_bind_keeps_state
    wharf *it = self;
    if (it->kept_data) (void)it->state->get(it->host, it->kept_data, it->key);
    it->kept_data = state;
#endif
#ifdef BUG_post_bind_keeps_pod
    wharf *it = self;
    if (it->kept) (void)annotation(it, it->kept, ZONE);
    it->kept = pod->obj;
#endif
}
const berth_plugin_post_bind post_bind_table = {sizeof post_bind_table, 0, post_bind};

/* --- Permit --- */

static void permit(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, uint32_t slot, berth_str node_name, int64_t *timeout_ns,
                   berth_status *status) {
    wharf *it = self;
    const int64_t second = INT64_C(1000000000);
    (void)call, (void)state, (void)nodes, (void)slot, (void)node_name;
#ifdef BUG_permit_keeps_call
    if (it->kept_data) (void)it->given->scratch(it->host, it->kept_data, 8, 8);
    it->kept_data = call;
#endif
    const int64_t seconds = 30 * number_of(annotation(it, pod->obj, WAIT), 100, 0);
    if (seconds <= 0) return;
    *timeout_ns = 2 * seconds * second;
    status->code = BERTH_STATUS_WAIT;
#ifdef BUG_permit_answers_pending
    status->code = BERTH_STATUS_IN_PROGRESS;
#elif defined(BUG_permit_answers_skip)
    status->code = BERTH_STATUS_SKIP;
#endif
    begin_wait(it, pod, seconds * second);
}
const berth_plugin_permit permit_table = {sizeof permit_table, 0, permit};

/* --- PreBind --- */

typedef struct work {
    wharf *of;
    const berth_object *pod;
    const berth_call *call;
    berth_state *state;
    const berth_done *done;
    uint64_t labels;
    uint64_t pages;
} work;

static void complete(work *one, int32_t code, const char *text) {
    const wharf *it = one->of;
    if (code != BERTH_STATUS_SUCCESS) refuse(it, one->done->status, code, text);
    it->given->complete(it->host, one->done, one->done->status);
}

static void run(void *ctx, const uint32_t *cancel) {
    work *one = ctx;
    const wharf *it = one->of;
    (void)cancel;
#ifdef BUG_task_lists_objects
    it->cluster->list(it->host, it->allowances_kind, BERTH_STR(""), NULL, NULL);
#endif
#ifdef BUG_task_gets_object
    (void)it->cluster->get(it->host, it->allowances_kind, BERTH_STR("default"), BERTH_STR("web"));
#endif
#ifdef BUG_task_reads_state
    (void)it->state->get(it->host, one->state, it->key);
#endif
#ifdef BUG_task_uses_scratch
    (void)it->given->scratch(it->host, one->call, 64, 8);
#endif
#ifdef BUG_task_cancels_timer
    (void)it->clock->cancel(it->host, it->sweep);
#endif
#ifdef BUG_task_allows_pod
    (void)it->waiting->allow(it->host, BERTH_STR("nobody"));
#endif
#ifdef BUG_task_begins_read
    const berth_read read = {.struct_size = sizeof read,
                             .verb = BERTH_READ_GET,
                             .version = BERTH_STR("v1"),
                             .resource = BERTH_STR("configmaps"),
                             .namespace_ = BERTH_STR("default"),
                             .name = BERTH_STR("web")};
    if (it->reader) (void)it->reader->read(it->host, &read, NULL, NULL, NULL);
#endif
#ifdef BUG_task_never_ends
    for (;;) usleep(1000);
#endif
#ifdef BUG_task_declares_column
    (void)it->columns->declare(it->host, BERTH_COLUMN_NODE_LABEL, BERTH_STR("late"));
#endif
    const berth_value *labels = it->object->get(it->host, one->pod, BERTH_STR("/metadata/labels"));
    if (labels && labels->kind == BERTH_VALUE_OBJECT) one->labels = labels->n.len;
#ifdef BUG_task_completes_too
    it->given->complete(it->host, one->done, one->done->status);
#endif
#ifdef BUG_task_frees_its_work
    free(one);
#endif
}

static void ran(void *ctx, int32_t code) {
    work *one = ctx;
    const wharf *it = one->of;
#ifndef BUG_task_does_not_retain
#ifndef BUG_task_does_not_release
    it->object->release(it->host, one->pod);
#endif
#endif
#ifdef BUG_task_releases_twice
    it->object->release(it->host, one->pod);
#endif
#ifdef BUG_task_completes_labelled_only
    if (one->labels % 2) {
        free(one);
        return;
    }
#endif
#ifndef BUG_task_is_never_completed
    complete(one, code == BERTH_STATUS_SUCCESS ? code : BERTH_STATUS_CANCELLED, "cancelled");
#endif
#ifdef BUG_task_completes_twice
    complete(one, BERTH_STATUS_SUCCESS, "");
#endif
    free(one);
    (void)it;
}

static void config_came(void *ctx, const berth_answer *answer) {
    work *one = ctx;
#ifdef BUG_answer_without_check
    uint64_t member = 0;
    while (!same(answer->value->ptr.members[member].key, BERTH_STR("data"))) {
        if (++member == answer->value->n.len) abort();
    }
#endif
#ifdef BUG_only_found_completes
    if (answer->http_status >= 400) {
        free(one);
        return;
    }
#endif
#ifdef BUG_answer_retries_without_end
    if (answer->http_status == 404) {
        const berth_read read = {.struct_size = sizeof read,
                                 .verb = BERTH_READ_GET,
                                 .version = BERTH_STR("v1"),
                                 .resource = BERTH_STR("configmaps"),
                                 .namespace_ = BERTH_STR("default"),
                                 .name = BERTH_STR("web")};
        if (one->of->reader->read(one->of->host, &read, config_came, one, NULL) == BERTH_STATUS_SUCCESS) return;
    }
#endif
#ifdef BUG_missing_is_an_exception
    if (answer->http_status == 404) abort();
#endif
#ifdef BUG_answer_is_kept
    wharf *it = one->of;
    if (it->kept_str.len) it->given->set_reasons(it->host, one->done->status, &it->kept_str, 1);
    it->kept_str = answer->text;
#endif
#ifdef BUG_answer_frees_twice
    const volatile uintptr_t again = (uintptr_t)one ^ 1;
#endif
    if (answer->code == BERTH_STATUS_CANCELLED) complete(one, BERTH_STATUS_CANCELLED, "cancelled");
    else complete(one, BERTH_STATUS_SUCCESS, "");
#ifdef BUG_answer_completes_twice
    complete(one, BERTH_STATUS_SUCCESS, "");
#endif
    free(one);
#ifdef BUG_answer_frees_twice
    free((void *)(uintptr_t)(again ^ 1));
#endif
}

static int read_page(work *one, berth_str next);

static void page_came(void *ctx, const berth_answer *answer) {
    work *one = ctx;
    one->pages++;
    if (answer->code == BERTH_STATUS_SUCCESS && answer->value) {
        const berth_value *value = answer->value;
        for (uint64_t i = 0; value->kind == BERTH_VALUE_OBJECT && i < value->n.len; ++i) {
            const berth_kv *member = &value->ptr.members[i];
            if (!same(member->key, BERTH_STR("metadata")) || member->value.kind != BERTH_VALUE_OBJECT) continue;
            for (uint64_t k = 0; k < member->value.n.len; ++k) {
                const berth_kv *meta = &member->value.ptr.members[k];
                if (!same(meta->key, BERTH_STR("continue")) || !text_of(&meta->value).len || one->pages >= 3) continue;
                if (read_page(one, text_of(&meta->value))) return;
            }
        }
#ifdef BUG_page_is_completed_each
        complete(one, BERTH_STATUS_SUCCESS, "");
#endif
    }
#ifdef BUG_page_is_never_completed
    free(one);
    return;
#endif
    complete(one, answer->code == BERTH_STATUS_CANCELLED ? BERTH_STATUS_CANCELLED : BERTH_STATUS_SUCCESS, "cancelled");
    free(one);
}

static int read_page(work *one, berth_str next) {
    const wharf *it = one->of;
    const berth_read read = {.struct_size = sizeof read,
                             .verb = BERTH_READ_LIST,
                             .group = BERTH_STR("example.com"),
                             .version = BERTH_STR("v1"),
#ifdef BUG_list_of_undeclared
                             .resource = BERTH_STR("charters"),
#else
                             .resource = BERTH_STR("allowances"),
#endif
                             .continue_ = next,
                             .limit = 20};
    return it->reader->read(it->host, &read, page_came, one, NULL) == BERTH_STATUS_SUCCESS;
}

static void pre_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                     berth_status *status, const berth_done *done) {
    wharf *it = self;
    (void)node_name;
    work *one = must(calloc(1, sizeof *one));
    one->of = it;
    one->pod = pod->obj;
    one->call = call;
    one->state = state;
    one->done = done;
    status->code = BERTH_STATUS_IN_PROGRESS;
#ifdef BUG_late_answer_is_forgotten
    if (annotation(it, pod->obj, CHECK).len) {
        free(one);
        return;
    }
#endif
    int began;
    const int reads = it->reader && annotation(it, pod->obj, CHECK).len;
    if (reads && pod->labels_len % 2) {
        const berth_read read = {.struct_size = sizeof read,
                                 .verb = BERTH_READ_GET,
                                 .version = BERTH_STR("v1"),
#if defined(BUG_reads_in_singular) || defined(BUG_failed_begin_is_ignored)
                                 .resource = BERTH_STR("configmap"),
#else
                                 .resource = BERTH_STR("configmaps"),
#endif
                                 .namespace_ = pod->namespace_,
                                 .name = app_of(it, pod).len ? app_of(it, pod) : BERTH_STR("none")};
        began = it->reader->read(it->host, &read, config_came, one, NULL) == BERTH_STATUS_SUCCESS;
    } else if (reads) {
        began = read_page(one, BERTH_STR(""));
    } else {
#ifndef BUG_task_does_not_retain
        it->object->retain(it->host, one->pod);
#endif
        began = it->task->submit(it->host, run, ran, one) == BERTH_STATUS_SUCCESS;
#ifdef BUG_task_is_submitted_twice
        (void)it->task->submit(it->host, run, ran, one);
#endif
#ifndef BUG_task_does_not_retain
        if (!began) it->object->release(it->host, one->pod);
#endif
    }
#ifdef BUG_failed_begin_is_ignored
    return;
#endif
#ifdef BUG_answers_at_once_too
    status->code = BERTH_STATUS_SUCCESS;
    return;
#endif
    if (began) return;
    free(one);
    status->code = BERTH_STATUS_SUCCESS; /* it could not be checked */
}
const berth_plugin_pre_bind pre_bind_table = {sizeof pre_bind_table, 0, NULL, pre_bind};

/* SPDX-License-Identifier: Apache-2.0 */
/* PreFilter, AddPod and RemovePod. */
#include "wharf.h"

static int32_t count_one(void *ctx, const berth_object *object) {
    uint64_t *n = ctx;
    (void)object;
    ++*n;
    return 1;
}
static int32_t first_one(void *ctx, const berth_object *object) {
    *(const berth_object **)ctx = object;
    return 0;
}

static void pre_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_nodes *nodes, berth_restrict *restrict_, berth_status *status) {
    wharf *it = self;
    (void)call, (void)restrict_, (void)count_one, (void)first_one;
    const berth_str app = app_of(it, pod);
    if (!app.len) {
        status->code = BERTH_STATUS_SKIP;
        return;
    }
    const allowance *found = allowance_of(it, pod->namespace_, app);
#ifdef BUG_allowance_is_there
    int64_t limit = found->limit ? found->limit : it->limit;
#elif defined(BUG_limit_of_others)
    if (found && found->limit) it->number = (uint64_t)found->limit;
    int64_t limit = it->number ? (int64_t)it->number : it->limit;
#elif defined(BUG_limit_of_instance)
    if (found && found->limit) it->limit = found->limit;
    int64_t limit = it->limit;
#else
    int64_t limit = found && found->limit ? found->limit : it->limit;
#endif
#ifdef BUG_limit_is_cached
    /* By namespace and application, for ever. */
    if (!tally_get(it->reserved, pod->namespace_, app, 5)) tally_add(it->reserved, pod->namespace_, app, 5, limit);
    limit = tally_get(it->reserved, pod->namespace_, app, 5);
#endif
#ifdef BUG_first_of_list_is_kept
    if (it->kept) (void)it->object->get(it->host, it->kept, BERTH_STR("/spec/limit"));
    it->cluster->list(it->host, it->allowances_kind, BERTH_STR(""), first_one, &it->kept);
#endif
    if (found && found->paused) {
        refuse(it, status, BERTH_STATUS_UNSCHEDULABLE, "the allowance is paused");
        return;
    }
#ifdef BUG_nothing_without_allowance
    if (!found) status->code = 17;
#endif
    if (tally_get(it->reserved, pod->namespace_, app, 0) >= (found && found->total ? found->total : 3)) {
        refuse(it, status, BERTH_STATUS_UNSCHEDULABLE, "too many pods of the application are being bound");
        return;
    }
#ifdef BUG_sleeps_for_an_annotation
    if (annotation(it, pod->obj, WAIT).len) usleep(20000);
#endif
#ifdef BUG_sleeps_for_the_application
    usleep(10000 + 1000 * (unsigned)app.len);
#endif
#ifdef BUG_reserves_too_early
    tally_add(it->reserved, pod->namespace_, app, 0, 1);
#endif
#ifdef BUG_namespaces_are_kept
    tally_add(it->reserved, pod->namespace_, BERTH_STR(" seen"), 0, 1);
#endif
#ifdef BUG_names_are_kept
    tally_add(it->reserved, pod->namespace_, pod->name, 7, 1);
#endif
#ifdef BUG_labels_are_kept
    for (uint64_t i = 0; i < pod->labels_len; ++i)
        tally_add(it->reserved, pod->labels[i].key, pod->labels[i].value, 9, 1);
#endif
#ifdef BUG_images_are_kept
    for (uint64_t i = 0; i < pod->images_len; ++i)
        tally_add(it->reserved, BERTH_STR(" image"), pod->images[i].name, 9, 1);
#endif
#ifdef BUG_log_of_pods_grows
    it->kept_text = must(realloc(it->kept_text, it->kept_len + pod->uid.len + pod->name.len));
    memcpy(it->kept_text + it->kept_len, pod->uid.ptr, pod->uid.len);
    memcpy(it->kept_text + it->kept_len + pod->uid.len, pod->name.ptr, pod->name.len);
    it->kept_len += pod->uid.len + pod->name.len;
#endif
#ifdef BUG_timer_of_each_pod
    begin_wait(it, pod, INT64_C(3600000000000));
#endif
#ifdef BUG_pod_is_retained
    it->object->retain(it->host, pod->obj);
#endif
#ifdef BUG_pod_is_released
    it->object->release(it->host, pod->obj);
#endif
#ifdef BUG_pod_object_is_kept
    if (it->kept) (void)annotation(it, it->kept, ZONE);
    it->kept = pod->obj;
#endif
#ifdef BUG_labels_are_kept_as_they_are
    if (it->kept_data) it->given->set_reasons(it->host, status, &((const berth_label *)it->kept_data)->key, 1);
    it->kept_data = pod->labels;
#endif
#ifdef BUG_name_is_kept
    if (it->kept_str.len) it->given->set_reasons(it->host, status, &it->kept_str, 1);
    it->kept_str = pod->name;
#endif
#ifdef BUG_nodes_are_kept
    if (it->kept_data) (void)it->nodes->find(it->host, it->kept_data, BERTH_STR("node-1"));
    it->kept_data = nodes;
#endif
#ifdef BUG_column_is_kept
    if (!it->code) it->code = it->columns->declare(it->host, BERTH_COLUMN_NODE_LABEL, app);
    berth_column own = {.struct_size = sizeof own};
    (void)it->nodes->column(it->host, nodes, it->code, &own);
#endif
#ifdef BUG_key_in_pre_filter
    it->key = it->state->key(it->host, BERTH_STR("Wharf/plan"));
#endif
#ifdef BUG_turns_with_the_pods
    limit += (int64_t)(it->number++ % 3);
#endif
#ifdef BUG_first_application_decides
    if (!it->kept_text) {
        it->kept_text = must(strndup(app.ptr, app.len));
        it->kept_len = app.len;
    }
    limit += 3 * same(app, (berth_str){it->kept_text, it->kept_len});
#endif
#ifdef BUG_previous_application_decides
    const int again = it->kept_text && same(app, (berth_str){it->kept_text, it->kept_len});
    free(it->kept_text);
    it->kept_text = must(strndup(app.ptr, app.len));
    it->kept_len = app.len;
    limit += again;
#endif
#ifdef BUG_compares_pods_with_pods
    const berth_pods *all = nodes->pods;
    for (uint32_t a = 0; a < nodes->slots; ++a)
        for (uint32_t b = 0; b < nodes->slots; ++b) it->number += same(nodes->name[a], nodes->name[b]);
    (void)all;
#endif
#ifdef BUG_plan_of_the_instance
    static plan *shared;
    if (shared) free(shared->pods), free(shared->weights), free(shared);
#endif
    count_placed(it, nodes);
#ifdef BUG_zone_from_annotations_unchecked
    const berth_value *value = value_of(it, pod->obj, ZONE);
    const berth_str zone = {value->ptr.string, value->n.len};
#else
    const berth_str zone = annotation(it, pod->obj, ZONE);
#endif
    plan *made = must(calloc(1, sizeof *made + zone.len));
    made->limit = limit;
#ifdef BUG_weight_without_check
    const berth_str weight = annotation(it, pod->obj, WEIGHT);
    made->weight = weight.len ? (int64_t)weight.ptr[0] - '0' : 10;
    if (weight.len) made->weight = 100 / made->weight;
#elif defined(BUG_weight_is_terminated)
    const berth_str weight = annotation(it, pod->obj, WEIGHT);
    const char *volatile first = weight.len ? weight.ptr : NULL;
    made->weight = atoi(first);
#elif defined(BUG_weight_throws)
    const berth_str weight = annotation(it, pod->obj, WEIGHT);
    if (weight.len && number_of(weight, 100, -1) < 0) abort();
    made->weight = number_of(weight, 100, 10);
#elif defined(BUG_weight_has_no_end)
    const berth_str weight = annotation(it, pod->obj, WEIGHT);
    made->weight = 10;
    for (volatile uint64_t i = 0; i < weight.len;)
        if (weight.ptr[i] >= '0' && weight.ptr[i] <= '9') ++i;
#else
    made->weight = number_of(annotation(it, pod->obj, WEIGHT), 100, 10);
#endif
#ifdef BUG_lists_once
    if (!it->number) it->cluster->list(it->host, it->allowances_kind, BERTH_STR(""), count_one, &it->number);
    made->weight += (int64_t)it->number;
#endif
#ifdef BUG_weight_of_the_day
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    made->weight += now.tv_sec % 10000;
#endif
#ifdef BUG_weight_by_address
    made->weight += (int64_t)((uintptr_t)made >> 12) % 9973;
#endif
#ifdef BUG_weight_by_process
    made->weight += getpid();
#endif
    made->slots = nodes->slots;
    made->pods = must(calloc(nodes->slots + 1, sizeof *made->pods));
    for (int i = 0; i < buckets; ++i)
        for (const entry *one = it->placed->at[i]; one; one = one->next) {
            const berth_str namespace_ = {one->text, one->namespace_len};
            const berth_str name = {one->text + one->namespace_len, one->app_len};
            if (one->slot < nodes->slots && same(name, app)
#ifndef BUG_counts_all_namespaces
                && same(namespace_, pod->namespace_)
#endif
            )
                made->pods[one->slot] = (uint32_t)one->n;
            (void)namespace_;
        }
    made->zone_len = zone.len;
    memcpy(made->zone, zone.ptr, zone.len);
#ifdef BUG_plan_of_the_instance
    shared = made;
    static const berth_plugin_state_type borrowed = {sizeof borrowed, 0, NULL, NULL};
    if (it->state->put(it->host, state, it->key, made, &borrowed) != BERTH_STATUS_SUCCESS) abort();
    return;
#endif
#ifdef BUG_plan_is_freed_twice
    if (it->state->put(it->host, state, it->key, made, &plan_type) == BERTH_STATUS_SUCCESS)
        plan_type.destroy(&plan_type, made);
    return;
#endif
#ifdef BUG_plan_of_wrong_key
    if (it->state->put(it->host, state, it->key + 40, made, &plan_type) != BERTH_STATUS_SUCCESS)
        plan_type.destroy(&plan_type, made);
    return;
#endif
    if (it->state->put(it->host, state, it->key, made, &plan_type) != BERTH_STATUS_SUCCESS) abort();
}
const berth_plugin_pre_filter pre_filter_table = {sizeof pre_filter_table, 0, pre_filter};

static void change(wharf *it, berth_state *state, const berth_pod *pod, const berth_pod *other, uint32_t slot, int by) {
    plan *mine = it->state->get(it->host, state, it->key);
    if (!mine || slot >= mine->slots) return;
#ifdef BUG_change_in_the_instance
    if (same(app_of(it, pod), app_of(it, other))) tally_add(it->placed, other->namespace_, app_of(it, other), slot, by);
    return;
#endif
#ifdef BUG_change_of_any_namespace
    if (same(app_of(it, pod), app_of(it, other))) mine->pods[slot] += (uint32_t)by;
#elif defined(BUG_change_of_any_application)
    if (same(pod->namespace_, other->namespace_)) mine->pods[slot] += (uint32_t)by;
#elif defined(BUG_change_by_other_label)
    if (same(pod->namespace_, other->namespace_) &&
        same(label_of(pod->labels, pod->labels_len, "tier"), label_of(other->labels, other->labels_len, "tier")))
        mine->pods[slot] += (uint32_t)by;
#elif defined(BUG_change_by_label_of_itself)
    (void)other;
    mine->pods[slot] += (uint32_t)by;
#else
    if (same(pod->namespace_, other->namespace_) && same(app_of(it, pod), app_of(it, other)))
        mine->pods[slot] += (uint32_t)by;
#endif
}
static void add_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_pod *other, const berth_nodes *nodes, uint32_t slot, berth_status *status) {
    (void)call, (void)nodes, (void)status;
#ifdef BUG_added_fails
    const wharf *it = self;
    if (!app_of(it, other).len || same(app_of(it, other), BERTH_STR("db")))
        refuse(it, status, BERTH_STATUS_ERROR, "not mine");
#endif
#ifndef BUG_added_changes_nothing
    change(self, state, pod, other, slot, 1);
#endif
}
static void remove_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_pod *other, const berth_nodes *nodes, uint32_t slot, berth_status *status) {
    (void)call, (void)nodes, (void)status;
#ifdef BUG_removed_without_look
    const wharf *it = self;
    plan *mine = it->state->get(it->host, state, it->key);
    if (mine && slot < mine->slots && mine->pods[slot]) mine->pods[slot]--;
    return;
#endif
#ifdef BUG_removed_clears
    const wharf *it = self;
    plan *mine = it->state->get(it->host, state, it->key);
    if (mine && slot < mine->slots) mine->pods[slot] = 0;
    return;
#endif
#ifdef BUG_removed_counts_again
    const wharf *it = self;
    plan *mine = it->state->get(it->host, state, it->key);
    if (mine && slot < mine->slots)
        mine->pods[slot] = (uint32_t)tally_get(it->placed, pod->namespace_, app_of(it, pod), slot);
    return;
#endif
#ifndef BUG_removed_changes_nothing
    change(self, state, pod, other, slot, -1);
#endif
}
const berth_plugin_pre_filter_ext pre_filter_ext_table = {sizeof pre_filter_ext_table, 0, add_pod, remove_pod};

/* SPDX-License-Identifier: Apache-2.0 */
/* Making an instance, what it watches and reads, and its end. */
#include "wharf.h"

static int read_args(const berth_value *args, const berth_host *host, wharf *to, berth_status *status) {
    for (uint64_t i = 0; i < args->n.len; ++i) {
        const berth_kv *one = &args->ptr.members[i];
        if (same(one->key, BERTH_STR("limit")) && one->value.kind == BERTH_VALUE_INT && one->value.n.integer > 0) {
            to->limit = one->value.n.integer;
            continue;
        }
#ifdef BUG_label_without_check
        if (same(one->key, BERTH_STR("label"))) {
#else
        if (same(one->key, BERTH_STR("label")) && one->value.kind == BERTH_VALUE_STRING && one->value.n.len) {
#endif
            free(to->label);
#ifdef BUG_label_is_terminated
            to->label = must(strdup(one->value.ptr.string));
#else
            to->label = must(strndup(one->value.ptr.string, one->value.n.len));
#endif
            continue;
        }
#ifdef BUG_refuses_without_text
        status->code = BERTH_STATUS_ERROR;
#else
        refuse(to, status, BERTH_STATUS_ERROR, "expected a number `limit` above 0 and a text `label`");
#endif
        (void)host;
        return 0;
    }
    return 1;
}

static void end(wharf *it) {
    free_allowances(it);
#ifndef BUG_counts_are_not_freed
    if (it->placed) tally_clear(it->placed);
    free(it->placed);
#endif
    if (it->reserved) tally_clear(it->reserved);
    free(it->reserved);
#ifndef BUG_label_leaks
    free(it->label);
#endif
    free(it);
}

void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status) {
    wharf *it = must(calloc(1, sizeof *it));
    it->host = host;
    it->given = host->get_service(host, BERTH_STR(BERTH_HOST_CALL_V1));
    it->nodes = host->get_service(host, BERTH_STR(BERTH_HOST_NODES_V1));
    it->state = host->get_service(host, BERTH_STR(BERTH_HOST_STATE_V1));
    it->object = host->get_service(host, BERTH_STR(BERTH_HOST_OBJECT_V1));
    it->columns = host->get_service(host, BERTH_STR(BERTH_HOST_COLUMNS_V1));
    it->cluster = host->get_service(host, BERTH_STR(BERTH_HOST_CLUSTER_V1));
    it->delta = host->get_service(host, BERTH_STR(BERTH_HOST_DELTA_V1));
    it->clock = host->get_service(host, BERTH_STR(BERTH_HOST_CLOCK_V1));
    it->task = host->get_service(host, BERTH_STR(BERTH_HOST_TASK_V1));
    it->waiting = host->get_service(host, BERTH_STR(BERTH_HOST_WAITING_PODS_V1));
    it->reader = host->get_service(host, BERTH_STR(BERTH_HOST_READER_DRAFT1));
    it->log = host->get_service(host, BERTH_STR(BERTH_HOST_LOG_V1));
    it->limit = 2;
    it->label = must(strdup("app"));
    it->placed = must(calloc(1, sizeof *it->placed));
    it->reserved = must(calloc(1, sizeof *it->reserved));
#ifdef BUG_sweep_begins_before_arguments
    begin_sweep(it);
#endif
    if (!read_args(info->args_value, host, it, status)) {
#ifdef BUG_refusal_leaks_tables
        free(it->label);
        free(it);
#else
        end(it);
#endif
        return;
    }
#ifdef BUG_reader_is_there
    it->number = it->reader->struct_size;
#endif
#ifdef BUG_size_of_draft
    if (it->reader && it->reader->struct_size != sizeof *it->reader) abort();
    if (it->clock->struct_size != sizeof *it->clock || host->flags != 0) abort();
#endif
    it->key = it->state->key(host, BERTH_STR("Wharf/plan"));
#ifdef BUG_kind_of_other_group
    it->allowances_kind = it->cluster->kind(host, BERTH_STR("example.org"), BERTH_STR("v1"), BERTH_STR("allowances"));
#elif defined(BUG_kind_in_singular)
    it->allowances_kind = it->cluster->kind(host, BERTH_STR("example.com"), BERTH_STR("v1"), BERTH_STR("allowance"));
#else
    it->allowances_kind = it->cluster->kind(host, BERTH_STR("example.com"), BERTH_STR("v1"), BERTH_STR("allowances"));
#endif
    it->zone = it->columns->declare(host, BERTH_COLUMN_NODE_LABEL, BERTH_STR("wharf.example.com/zone"));
    it->drain = it->columns->declare(host, BERTH_COLUMN_NODE_ANNOTATION, BERTH_STR("wharf.example.com/drain"));
    it->weight = it->columns->declare(host, BERTH_COLUMN_NODE_ANNOTATION, BERTH_STR("wharf.example.com/weight"));
#ifdef BUG_subscription_leaks
    wharf **ctx = must(malloc(sizeof(wharf *) * 8));
    *ctx = it;
    if (!*ctx) return;
#endif
    if (it->cluster->subscribe(host, it->allowances_kind, allowance_changed, it) != BERTH_STATUS_SUCCESS) {
        refuse(it, status, BERTH_STATUS_ERROR, "cannot subscribe to allowances");
        end(it);
        return;
    }
#ifndef BUG_sweep_begins_before_arguments
    begin_sweep(it);
#endif
#ifdef BUG_file_of_each
    (void)!open("/dev/null", O_RDONLY);
#endif
    *self = it;
}

void declare(void *self, berth_declare_sink *sink, berth_status *status) {
    const wharf *it = self;
    const berth_host_sinks *sinks = it->host->get_service(it->host, BERTH_STR(BERTH_HOST_SINKS_V1));
    (void)status;
#ifndef BUG_watch_is_not_declared
    sinks->declare_watch(it->host, sink, BERTH_STR("example.com"), BERTH_STR("v1"), BERTH_STR("allowances"));
#endif
#ifdef BUG_watches_pods
    sinks->declare_watch(it->host, sink, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("pods"));
#endif
#ifdef BUG_watch_is_not_in_the_note
    sinks->declare_watch(it->host, sink, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("configmaps"));
#endif
    if (!it->reader) return;
#ifndef BUG_read_is_not_declared
    it->reader->declare(it->host, sink, BERTH_READ_GET, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("configmaps"));
#endif
    it->reader->declare(it->host, sink, BERTH_READ_LIST, BERTH_STR("example.com"), BERTH_STR("v1"),
                        BERTH_STR("allowances"));
#ifdef BUG_read_is_not_in_the_note
    it->reader->declare(it->host, sink, BERTH_READ_GET, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("secrets"));
#endif
#ifdef BUG_unknown_verb
    it->reader->declare(it->host, sink, 7, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("configmaps"));
#endif
}

void destroy(void *self) {
    wharf *it = self;
    free(it->kept_text);
#ifdef BUG_destroy_cancels_itself
    (void)it->clock->cancel(it->host, it->sweep);
    free((void *)it->sweep);
#endif
    end(it);
}

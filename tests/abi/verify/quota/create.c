/* SPDX-License-Identifier: Apache-2.0 */
/* Making an instance, and ending it. */
#define _GNU_SOURCE
#include "quota.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef BUG_one_for_all
static quota *only;
#endif

#ifdef BUG_thread_goes_on
static void *for_ever(void *nothing) {
    for (;;) pause();
    return nothing;
}
#endif

static int read_args(const berth_host *host, const berth_value *args, quota *to, berth_status *status) {
    const berth_kv *members = args->ptr.members;
    for (uint64_t i = 0; i < args->n.len; ++i) {
        const berth_value *value = &members[i].value;
        int64_t *into = same(members[i].key, (berth_str){"limit", 5})           ? &to->limit
                        : same(members[i].key, (berth_str){"mostReserved", 12}) ? &to->most_reserved
                                                                                : NULL;
#ifdef BUG_text_unchecked
        if (!into && strlen(value->ptr.string) > 100000) return 0;
#endif
#ifdef BUG_endless
        if (into)
            while (value->n.integer == 0) usleep(1000);
#endif
#ifdef BUG_aborts
        if (into && value->kind != BERTH_VALUE_INT) abort();
#endif
        if (!into || value->kind != BERTH_VALUE_INT || value->n.integer < 1 || value->n.integer > 100000) {
#ifdef BUG_refuses_silently
            status->code = BERTH_STATUS_ERROR;
#else
            refuse(host, status, BERTH_STATUS_ERROR, "expected limit and mostReserved, each a number from 1 to 100000");
#endif
            return 0;
        }
        *into = value->n.integer;
    }
    return 1;
}

void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status) {
    static const berth_str state_id = BERTH_STR_INIT(BERTH_HOST_STATE_V1), log_id = BERTH_STR_INIT(BERTH_HOST_LOG_V1),
                           object_id = BERTH_STR_INIT(BERTH_HOST_OBJECT_V1);
    quota *made = calloc(1, sizeof *made);
    if (!made) {
        status->code = BERTH_STATUS_NO_MEMORY;
        return;
    }
    made->limit = 3;
    made->most_reserved = 12;
    if (!read_args(host, info->args_value, made, status)) {
#ifndef BUG_leaks_when_refusing
        free(made);
#endif
        return;
    }
#ifdef BUG_wants_this_host
    if (host->struct_size != sizeof *host || info->struct_size != sizeof *info) {
        free(made);
        refuse(host, status, BERTH_STATUS_ERROR, "built for another host");
        return;
    }
#endif
#ifdef BUG_wants_this_minor
    if (host->abi_minor != BERTH_ABI_MINOR) {
        free(made);
        refuse(host, status, BERTH_STATUS_ERROR, "built for another minor");
        return;
    }
#endif
#ifdef BUG_refuses_flags
    if (info->flags != 0) {
        free(made);
        refuse(host, status, BERTH_STATUS_ERROR, "unknown flags");
        return;
    }
#endif
#ifdef BUG_other_layout
    made->limit += *(const int64_t *)(info + 1) == 77; /* a field that its header has and the host's has not */
#endif
#ifdef BUG_terminated_text
    made->message = strdup(info->args.ptr);
#else
    made->message = strndup(info->args.ptr, info->args.len);
#endif
    made->host = host;
    made->given = calls_of(host);
    made->state = host->get_service(host, state_id);
    made->log = host->get_service(host, log_id);
    made->object = host->get_service(host, object_id);
    made->key = made->state->key(host, (berth_str)BERTH_STR_INIT("Quota/counts"));
#ifdef BUG_log_is_there
    (void)made->log->enabled(host, BERTH_LOG_INFO, 0);
#endif
#ifdef BUG_leaks
    if (!malloc(100)) abort();
#endif
#ifdef BUG_file_stays_open
    (void)!open("/dev/null", O_RDONLY);
#endif
#ifdef BUG_thread_goes_on
    pthread_t thread;
    pthread_create(&thread, NULL, for_ever, NULL);
#endif
#ifdef BUG_changes_directory
    if (chdir("/") != 0) abort();
#endif
#ifdef BUG_one_for_all
    if (only) {
        free(made->message);
        free(made);
        made = only;
    }
    only = made;
#endif
    *self = made;
}

void destroy(void *self) {
    quota *it = self;
    for (met *one = it->met; one; one = it->met) {
        it->met = one->before;
        free(one);
    }
    free(it->message);
    free(it);
#ifdef BUG_one_for_all
    only = NULL;
#endif
}

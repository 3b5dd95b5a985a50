/* SPDX-License-Identifier: Apache-2.0 */
/* The timers: one that comes again and again, and one for each pod that waits in Permit. */
#include "wharf.h"

static const int64_t second = INT64_C(1000000000);

typedef struct sweep {
    wharf *of;
    uint64_t number;
} sweep;

static void sweep_came(void *ctx, int32_t code) {
    sweep *it = ctx;
#ifdef BUG_sweep_ignores_its_code
    it->of->sweep = it->of->clock->after(it->of->host, 10 * second, sweep_came, it);
    return;
#endif
    if (code != BERTH_STATUS_SUCCESS) {
#ifndef BUG_sweep_leaks
        free(it);
#endif
        return;
    }
    it->of->swept++;
#ifdef BUG_sweep_changes_limit
    it->of->limit = 1 + (int64_t)(it->of->swept % 4);
#endif
    it->number++;
#ifdef BUG_sweep_makes_its_own
    begin_sweep(it->of);
    return;
#endif
#ifdef BUG_sweep_begins_two
    begin_sweep(it->of);
#endif
    it->of->sweep = it->of->clock->after(it->of->host, 10 * second, sweep_came, it);
    if (!it->of->sweep) free(it);
}

void begin_sweep(wharf *it) {
    sweep *made = must(calloc(1, sizeof *made));
    made->of = it;
    it->sweep = it->clock->after(it->host, 10 * second, sweep_came, made);
#ifdef BUG_sweep_frees_at_once
    free(made);
    return;
#endif
    if (!it->sweep) free(made);
}

static void wait_came(void *ctx, int32_t code) {
    wait *it = ctx;
    for (wait **at = &it->of->waits; *at; at = &(*at)->next)
        if (*at == it) {
            *at = it->next;
            break;
        }
    if (code == BERTH_STATUS_SUCCESS) (void)it->of->waiting->allow(it->of->host, (berth_str){it->uid_ptr, it->uid_len});
    free(it);
}

void begin_wait(wharf *it, const berth_pod *pod, int64_t ns) {
    wait *made = must(calloc(1, sizeof *made + pod->uid.len));
    made->of = it;
    made->uid_len = pod->uid.len;
    memcpy(made->uid, pod->uid.ptr, pod->uid.len);
#ifdef BUG_wait_keeps_uid
    made->uid_ptr = pod->uid.ptr;
#else
    made->uid_ptr = made->uid;
#endif
    made->next = it->waits;
    it->waits = made;
    made->timer = it->clock->after(it->host, ns, wait_came, made);
    if (!made->timer) {
        it->waits = made->next;
        free(made);
    }
}

void end_wait(wharf *it, berth_str uid) {
    for (wait *one = it->waits; one; one = one->next)
        if (same((berth_str){one->uid, one->uid_len}, uid)) {
#ifdef BUG_wait_frees_and_cancels
            wait *const copy = one;
            (void)it->clock->cancel(it->host, one->timer);
            free(copy);
            return;
#endif
#ifdef BUG_wait_is_not_cancelled
            wait **at = &it->waits;
            while (*at != one) at = &(*at)->next;
            *at = one->next;
            free(one);
            return;
#endif
            (void)it->clock->cancel(it->host, one->timer);
            return;
        }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by namespace, application and slot. */
#include "wharf.h"

static uint64_t hash(berth_str text, uint64_t from) {
    for (uint64_t i = 0; i < text.len; ++i) from = (from ^ (unsigned char)text.ptr[i]) * 1099511628211u;
    return from;
}

static entry **find(tally *of, berth_str namespace_, berth_str app, uint32_t slot) {
#ifdef BUG_tally_without_namespace
    namespace_.len = 0;
#endif
    entry **at = &of->at[(hash(app, hash(namespace_, 1469598103934665603u)) ^ slot) % buckets];
    for (; *at; at = &(*at)->next) {
        const berth_str one = {(*at)->text, (*at)->namespace_len},
                        other = {(*at)->text + (*at)->namespace_len, (*at)->app_len};
        if ((*at)->slot == slot && same(one, namespace_) && same(other, app)) return at;
    }
    return at;
}

int64_t tally_get(const tally *of, berth_str namespace_, berth_str app, uint32_t slot) {
    entry *const *at = find((tally *)of, namespace_, app, slot);
    return *at ? (*at)->n : 0;
}

int64_t tally_add(tally *to, berth_str namespace_, berth_str app, uint32_t slot, int64_t by) {
    entry **at = find(to, namespace_, app, slot);
    if (!*at) {
#ifdef BUG_tally_without_namespace
        namespace_.len = 0;
#endif
        entry *made = must(calloc(1, sizeof *made + namespace_.len + app.len));
        made->namespace_len = namespace_.len;
        made->app_len = app.len;
        made->slot = slot;
        memcpy(made->text, namespace_.ptr, namespace_.len);
        memcpy(made->text + namespace_.len, app.ptr, app.len);
        *at = made;
    }
    entry *const one = *at;
    const int64_t sum = one->n += by;
#ifdef BUG_tally_keeps_zeros
    return sum;
#endif
    if (sum == 0) {
        *at = one->next;
        free(one);
    }
    return sum;
}

void tally_clear(tally *of) {
    for (int i = 0; i < buckets; ++i)
        for (entry *one = of->at[i]; one; one = of->at[i]) {
            of->at[i] = one->next;
            free(one);
        }
}

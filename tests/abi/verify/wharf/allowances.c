/* SPDX-License-Identifier: Apache-2.0 */
/* The custom resource, as a table that follows its changes. */
#include "wharf.h"

static berth_object_meta meta_of(const wharf *it, const berth_object *object) {
    berth_object_meta out = {.struct_size = sizeof out};
    if (it->object->meta(it->host, object, &out) != BERTH_STATUS_SUCCESS) abort();
    return out;
}

static int64_t whole(const wharf *it, const berth_object *object, berth_str pointer) {
    const berth_value *value = it->object->get(it->host, object, pointer);
#ifdef BUG_field_without_check
    return value->n.integer;
#elif defined(BUG_field_is_text)
    return value ? atoi(value->ptr.string) : 0;
#else
    if (!value) return 0;
    if (value->kind == BERTH_VALUE_STRING) return number_of(text_of(value), 1000, 0);
    return value->kind == BERTH_VALUE_INT && value->n.integer > 0 && value->n.integer <= 1000 ? value->n.integer : 0;
#endif
}

static allowance **find(wharf *it, berth_str namespace_, berth_str name) {
    allowance **at = &it->allowances;
    for (; *at; at = &(*at)->next) {
        const berth_str one = {(*at)->text, (*at)->namespace_len},
                        other = {(*at)->text + (*at)->namespace_len, (*at)->name_len};
#ifdef BUG_table_by_name
        if (same(other, name)) return at;
#endif
        if (same(one, namespace_) && same(other, name)) return at;
    }
    return at;
}

static void drop(wharf *it, allowance **at) {
    allowance *one = *at;
    if (!one) return;
    *at = one->next;
    (void)it;
    free(one);
}

void allowance_changed(void *self, const berth_object *before, const berth_object *after) {
    wharf *it = self;
#ifdef BUG_static_table
    static wharf *first;
    if (!first) first = it;
    it = first;
#endif
#ifdef BUG_new_has_no_before
    const berth_object_meta meta = meta_of(it, before);
#elif defined(BUG_deleted_has_no_after)
    const berth_object_meta meta = meta_of(it, after);
#else
    const berth_object_meta meta = meta_of(it, after ? after : before);
#endif
    const berth_value *paused = it->object->get(it->host, after, BERTH_STR("/spec/paused"));
#ifdef BUG_update_is_missed
    if (before && after) return;
#endif
#ifdef BUG_deletion_is_missed
    if (!after) return;
#endif
#ifdef BUG_only_grows
    allowance **known = find(it, meta.namespace_, meta.name);
    if (*known && after && (*known)->limit > whole(it, after, BERTH_STR("/spec/limit"))) return;
#endif
#ifdef BUG_resource_versions_are_texts
    if (before && after) {
        const berth_str old = meta_of(it, before).resource_version, now = meta.resource_version;
        const int order = memcmp(old.ptr, now.ptr, old.len < now.len ? old.len : now.len);
        if (old.len && order > 0) return; /* an older version, it seems */
    }
#endif
#ifdef BUG_new_is_put_in_front
    if (!before || !after)
#endif
        drop(it, find(it, meta.namespace_, meta.name));
    if (!after) return;
    allowance *made = must(calloc(1, sizeof *made + meta.namespace_.len + meta.name.len));
    made->limit = whole(it, after, BERTH_STR("/spec/limit"));
    made->total = whole(it, after, BERTH_STR("/spec/total"));
    made->paused = paused && paused->kind == BERTH_VALUE_BOOL && paused->n.integer;
#ifdef BUG_paused_stays
    made->paused = (int)(it->number |= (uint64_t)made->paused);
#endif
    made->namespace_len = meta.namespace_.len;
    made->name_len = meta.name.len;
    memcpy(made->text, meta.namespace_.ptr, meta.namespace_.len);
    memcpy(made->text + meta.namespace_.len, meta.name.ptr, meta.name.len);
    made->object = after;
#ifdef BUG_retains_both
    it->object->retain(it->host, after);
    it->object->retain(it->host, after);
    it->object->release(it->host, after);
#endif
#ifdef BUG_releases_before
    if (before) it->object->release(it->host, before);
#endif
#ifdef BUG_releases_new
    it->object->release(it->host, after);
#endif
    made->next = it->allowances;
    it->allowances = made;
}

const allowance *allowance_of(const wharf *it, berth_str namespace_, berth_str app) {
#ifdef BUG_looks_up_once
    wharf *self = (wharf *)it;
    static const allowance none;
    if (!self->kept_data) {
        const allowance *first = *find(self, namespace_, app);
        self->kept_data = first ? first : &none;
    }
    return self->kept_data == &none ? NULL : self->kept_data;
#endif
    const allowance *found = *find((wharf *)it, namespace_, app);
#ifdef BUG_object_is_kept
    if (found && whole(it, found->object, BERTH_STR("/spec/limit")) > 1000) return NULL;
#endif
    return found;
}

void free_allowances(wharf *it) {
#ifdef BUG_table_is_not_freed
    return;
#endif
    while (it->allowances) drop(it, &it->allowances);
}

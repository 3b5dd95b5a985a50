/* SPDX-License-Identifier: Apache-2.0 */
/* PreEnqueue, and the events that wake a pod. */
#include "wharf.h"

static void pre_enqueue(void *self, const berth_call *call, const berth_pod *pod, berth_status *status) {
    const wharf *it = self;
    (void)call;
    const berth_str hold = annotation(it, pod->obj, HOLD);
#ifdef BUG_hold_answers_wait
    if (hold.len) status->code = BERTH_STATUS_WAIT;
    return;
#endif
#ifdef BUG_pre_enqueue_keeps_object
    wharf *keeper = self;
    if (keeper->kept) (void)annotation(it, keeper->kept, HOLD);
    keeper->kept = pod->obj;
#endif
    if (same(hold, BERTH_STR("true"))) refuse(it, status, BERTH_STATUS_UNSCHEDULABLE, "the pod is on hold");
}
const berth_plugin_pre_enqueue pre_enqueue_table = {sizeof pre_enqueue_table, 0, pre_enqueue};

static const berth_str resource = BERTH_STR_INIT("allowances.v1.example.com");

static void events(void *self, berth_event_sink *sink, berth_status *status) {
    const wharf *it = self;
    const berth_host_sinks *sinks = it->host->get_service(it->host, BERTH_STR(BERTH_HOST_SINKS_V1));
    (void)status;
#ifdef BUG_event_by_kind
    sinks->add_event(it->host, sink, BERTH_STR("Allowance"), BERTH_EVENT_ALL, 1);
#elif defined(BUG_event_without_watch)
    sinks->add_event(it->host, sink, BERTH_STR("charters.v1.example.com"), BERTH_EVENT_ALL, 1);
#elif defined(BUG_event_of_new_only)
    sinks->add_event(it->host, sink, resource, BERTH_EVENT_ADD, 1);
#elif !defined(BUG_event_is_forgotten)
    sinks->add_event(it->host, sink, resource, BERTH_EVENT_ALL, 1);
#endif
#ifndef BUG_pod_events_are_forgotten
    sinks->add_event(it->host, sink, BERTH_STR("AssignedPod"), BERTH_EVENT_DELETE | BERTH_EVENT_UPDATE_POD_LABEL, 1);
#endif
    sinks->add_event(it->host, sink, BERTH_STR("Node"),
#ifdef BUG_node_annotations_are_forgotten
                     BERTH_EVENT_ADD,
#else
                     BERTH_EVENT_ADD | BERTH_EVENT_UPDATE,
#endif
                     1);
}

static uint8_t hint_of_object(const wharf *it, const berth_event *event, const berth_pod *pod) {
    const berth_object *object = event->new_object ? event->new_object : event->old_object;
    berth_object_meta meta = {.struct_size = sizeof meta};
#ifdef BUG_hint_takes_new_object
    object = event->new_object;
    (void)text_of(it->object->get(it->host, object, BERTH_STR("")));
    if (!object) abort();
#endif
    if (it->object->meta(it->host, object, &meta) != BERTH_STATUS_SUCCESS) return BERTH_HINT_ERROR;
#ifdef BUG_hint_skips_deletion
    if (!event->new_object) return BERTH_HINT_SKIP;
#endif
#ifdef BUG_hint_skips_update
    if (event->new_object && event->old_object) return BERTH_HINT_SKIP;
#endif
#ifdef BUG_hint_by_pod_name
    return same(meta.name, pod->name) && same(meta.namespace_, pod->namespace_) ? BERTH_HINT_QUEUE : BERTH_HINT_SKIP;
#elif defined(BUG_hint_swaps_names)
    return same(meta.namespace_, app_of(it, pod)) && same(meta.name, pod->namespace_) ? BERTH_HINT_QUEUE
                                                                                      : BERTH_HINT_SKIP;
#else
    return same(meta.name, app_of(it, pod)) && same(meta.namespace_, pod->namespace_) ? BERTH_HINT_QUEUE
                                                                                      : BERTH_HINT_SKIP;
#endif
}

static void hint(void *self, const berth_call *call, const berth_event *event, const berth_pod *const *pods, uint64_t n,
                 uint8_t *out) {
    wharf *it = self;
    (void)call;
#ifdef BUG_hint_keeps_event
    if (it->kept) (void)it->object->get(it->host, it->kept, BERTH_STR("/metadata/name"));
    it->kept = event->old_object ? event->old_object : event->old_pod ? event->old_pod->obj : it->kept;
#endif
    for (uint64_t i = 0; i < n; ++i) {
        out[i] = BERTH_HINT_QUEUE;
        if (same(event->resource, resource)) out[i] = hint_of_object(it, event, pods[i]);
        else if (same(event->resource, BERTH_STR("AssignedPod"))) {
            const berth_pod *other = event->old_pod ? event->old_pod : event->new_pod;
#ifdef BUG_hint_takes_new_pod
            other = event->new_pod;
#endif
#ifdef BUG_hint_of_other_label
            out[i] = same(other->name, pods[i]->name) ? BERTH_HINT_QUEUE : BERTH_HINT_SKIP;
#else
            out[i] = same(other->namespace_, pods[i]->namespace_) && same(app_of(it, other), app_of(it, pods[i]))
                         ? BERTH_HINT_QUEUE
                         : BERTH_HINT_SKIP;
#endif
        }
#ifdef BUG_hint_says_no
        out[i] = out[i] == BERTH_HINT_QUEUE ? 1 : 255;
#endif
#ifdef BUG_hint_skips_nodes
        if (same(event->resource, BERTH_STR("Node"))) out[i] = BERTH_HINT_SKIP;
#endif
    }
#ifdef BUG_hint_writes_one_more
    out[n] = BERTH_HINT_QUEUE;
#endif
}
const berth_plugin_events events_table = {sizeof events_table, 0, events, hint};

/* SPDX-License-Identifier: Apache-2.0 */
/* Wharf: at most so many pods of an application on a node. A sound plugin in C that looks at labels, annotations, a
 * custom resource (Allowance), timers, reads, tasks and its state. wharf.txt beside this folder lists what each
 * -DBUG_… makes of it: one mistake of an author, and never another rule.
 *
 * An Allowance has the namespace of the pods and the name of their label `app`. */
#ifndef WHARF_H
#define WHARF_H

#define _GNU_SOURCE
#include <berth/berth.h>
#include <berth/draft/reader.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How many pods of a namespace and application there are at a slot. Entries of 0 do not exist. */
typedef struct entry {
    struct entry *next;
    uint64_t namespace_len, app_len;
    int64_t n;
    uint32_t slot;
    char text[]; /* namespace, application */
} entry;
enum { buckets = 256 };
typedef struct tally {
    entry *at[buckets];
} tally;
int64_t tally_add(tally *to, berth_str namespace_, berth_str app, uint32_t slot, int64_t by); /* the sum */
int64_t tally_get(const tally *of, berth_str namespace_, berth_str app, uint32_t slot);
void tally_clear(tally *of);

/* An Allowance as the plugin has understood it. */
typedef struct allowance {
    struct allowance *next;
    int64_t limit; /* pods on a node; 0: the argument's */
    int64_t total; /* pods that are being bound; 0: no limit */
    int paused;
    uint64_t namespace_len, name_len;
    const berth_object *object;
    char text[]; /* namespace, name */
} allowance;

/* A pod that waits in Permit. */
typedef struct wait {
    struct wait *next;
    struct wharf *of;
    uint64_t timer;
    uint64_t uid_len;
    const char *uid_ptr;
    char uid[];
} wait;

typedef struct wharf {
    const berth_host *host;
    const berth_host_call *given;
    const berth_host_state *state;
    const berth_host_object *object;
    const berth_host_columns *columns;
    const berth_host_nodes *nodes;
    const berth_host_cluster *cluster;
    const berth_host_delta *delta;
    const berth_host_clock *clock;
    const berth_host_task *task;
    const berth_host_waiting_pods *waiting;
    const berth_host_reader *reader; /* optional */
    const berth_host_log *log;       /* optional */
    uint32_t key, allowances_kind;
    uint32_t zone, drain, weight; /* columns */
    char *label;                  /* the argument `label` */
    int64_t limit;                /* the argument `limit` */
    allowance *allowances;
    tally *placed;     /* by slot */
    uint64_t snapshot; /* of `placed` */
    tally *reserved;
    wait *waits;
    uint64_t sweep; /* a timer */
    uint64_t swept;
    /* What some bugs keep. */
    const berth_object *kept;
    const void *kept_data;
    char *kept_text;
    uint64_t kept_len;
    berth_str kept_str;
    uint64_t number;
    uint32_t code;
} wharf;

/* What PreFilter leaves behind. */
typedef struct plan {
    int64_t limit, weight;
    int reserved;
    uint32_t slots;
    uint32_t *pods;   /* of the application, by slot */
    int64_t *weights; /* by the code of a node's annotation, from PreScore on */
    uint64_t weights_len;
    uint64_t zone_len;
    char zone[]; /* that the pod wants */
} plan;

extern const berth_plugin_state_type plan_type;

static inline int same(berth_str a, berth_str b) {
    return a.len == b.len && (!a.len || memcmp(a.ptr, b.ptr, a.len) == 0);
}
static inline void *must(void *memory) {
    if (!memory) abort();
    return memory;
}
static inline berth_str text_of(const berth_value *value) {
    berth_str out = {"", 0};
    if (value && value->kind == BERTH_VALUE_STRING) out = (berth_str){value->ptr.string, value->n.len};
    return out;
}
/* A number from 0 to `most`, or `absent`. */
static inline int64_t number_of(berth_str text, int64_t most, int64_t absent) {
    int64_t out = 0;
    if (text.len == 0 || text.len > 9) return absent;
    for (uint64_t i = 0; i < text.len; ++i) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') return absent;
        out = out * 10 + (text.ptr[i] - '0');
    }
    return out <= most ? out : absent;
}
static inline berth_str label_of(const berth_label *labels, uint64_t n, const char *key) {
    for (uint64_t i = 0; i < n; ++i)
        if (same(labels[i].key, (berth_str){key, strlen(key)})) return labels[i].value;
    return (berth_str){"", 0};
}
static inline berth_str app_of(const wharf *it, const berth_pod *pod) {
    return label_of(pod->labels, pod->labels_len, it->label);
}
/* The value of the annotation `key`, which has one slash; NULL if there is none. */
static inline const berth_value *value_of(const wharf *it, const berth_object *object, const char *key) {
    char pointer[128];
    const int domain = (int)strcspn(key, "/");
    snprintf(pointer, sizeof pointer, "/metadata/annotations/%.*s~1%s", domain, key, key + domain + 1);
    return it->object->get(it->host, object, (berth_str){pointer, strlen(pointer)});
}
static inline berth_str annotation(const wharf *it, const berth_object *object, const char *key) {
    return text_of(value_of(it, object, key));
}
#define ZONE "wharf.example.com/zone"
#define WEIGHT "wharf.example.com/weight"
#define HOLD "wharf.example.com/hold"
#define WAIT "wharf.example.com/wait"
#define CHECK "wharf.example.com/check"

static inline void refuse(const wharf *it, berth_status *status, int32_t code, const char *text) {
    berth_str said = {text, strlen(text)};
    status->code = code;
    if (code == BERTH_STATUS_ERROR) it->given->set_error(it->host, status, said);
    else it->given->set_reasons(it->host, status, &said, 1);
}

/* allowances.c */
void allowance_changed(void *self, const berth_object *before, const berth_object *after);
const allowance *allowance_of(const wharf *it, berth_str namespace_, berth_str app);
void free_allowances(wharf *it);
/* timers.c */
void begin_sweep(wharf *it);
void begin_wait(wharf *it, const berth_pod *pod, int64_t ns);
void end_wait(wharf *it, berth_str uid);
/* placed.c */
void count_placed(wharf *it, const berth_nodes *nodes);
/* create.c */
void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status);
void declare(void *self, berth_declare_sink *sink, berth_status *status);
void destroy(void *self);
/* the tables of points */
extern const berth_plugin_pre_enqueue pre_enqueue_table;
extern const berth_plugin_events events_table;
extern const berth_plugin_pre_filter pre_filter_table;
extern const berth_plugin_pre_filter_ext pre_filter_ext_table;
extern const berth_plugin_filter filter_table;
extern const berth_plugin_pre_score pre_score_table;
extern const berth_plugin_score score_table;
extern const berth_plugin_normalize normalize_table;
extern const berth_plugin_reserve reserve_table;
extern const berth_plugin_permit permit_table;
extern const berth_plugin_pre_bind pre_bind_table;
extern const berth_plugin_post_bind post_bind_table;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Reads of objects from the API server: get and list, for what a plugin does not watch.
 */
#ifndef BERTH_DRAFT_READER_H
#define BERTH_DRAFT_READER_H

#include <berth/plugin.h>
#include <berth/service/answer.h>

#define BERTH_HOST_READER_DRAFT1 "berth.host.reader/draft1"

/* Verbs of a read. They continue the numbers of BERTH_VERB_…, so that no number is a verb of both. */
#define BERTH_READ_GET 5u
#define BERTH_READ_LIST 6u

/* Bounds. A host has at least these. */
#define BERTH_READ_MOST_BYTES 4194304u /**< of an answer; of a longer one only LIMIT_EXCEEDED comes */
#define BERTH_READ_MOST_ITEMS 500u     /**< of one LIST: the answer's `metadata.continue` leads to the rest */
#define BERTH_READ_MOST_PENDING 32u    /**< reads of one instance without an answer, also cancelled ones */

/** What to read. Lives until `read` returns. */
typedef struct berth_read {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t verb; /**< one of BERTH_READ_… */
    uint32_t reserved;
    berth_str group; /**< "" for the core group */
    berth_str version;
    berth_str resource;       /**< plural, as in "configmaps" */
    berth_str namespace_;     /**< "" for a kind without namespaces and, in a LIST, for all namespaces */
    berth_str name;           /**< of a GET; empty in a LIST */
    berth_str label_selector; /**< of a LIST, as in "app=web,tier in (a,b),!old"; "" selects everything */
    berth_str field_selector; /**< of a LIST, as in "metadata.name=a"; which fields a kind has, the API server says */
    berth_str continue_;      /**< of a LIST: `metadata.continue` of the page before, or "" */
    uint64_t limit;           /**< of a LIST: items at most; 0, and more than the host's bound, mean the bound */
} berth_read;

/** Reads objects without watching them: one ConfigMap, or one page of a kind. An instance whose decisions depend on an
 * object all the time should watch it (berth.host.cluster/1): a watch also wakes the pods that an object keeps
 * waiting, and a read does not.
 *
 * The host sends a read as kube-scheduler's own client would, and with its limit of requests per second (qps, burst).
 * It also sends reads while it is not the leader. A dry run and a shadow do not read (UNSUPPORTED). In a simulation the
 * simulated API server answers from its objects. `metadata.managedFields` is left out of the object and of a list's
 * items. A recording contains the answers, but without what it omits of all objects, such as environments and the data
 * of Secrets; a list of Secrets has no items there. A replay answers with what the recording has. */
typedef struct berth_host_reader {
    uint32_t struct_size;
    uint32_t flags;
    /** Called in berth_plugin.declare, with its sink: this instance reads that kind by that verb (BERTH_READ_…). The
     * note's "reads" must list it, as "get v1/configmaps". The host refuses the plugin for an unknown verb, for a name
     * that no kind can have, for a version unlike "v1" and for a group that begins so, as "v1.example.com" does.
     * Copied. */
    void (*declare)(const berth_host *host, berth_declare_sink *sink, uint32_t verb, berth_str group, berth_str version,
                    berth_str resource); /* [create] */
    /** Begins a declared read and calls `on_read(ctx, answer)` on the loop, once, whatever happens: it is where `ctx`
     * is freed. The code of the answer is ERROR also if an answer of a status below 400 is not JSON. If `id` is not
     * NULL, `*id` becomes the number of the read, above 0, for `cancel`.
     * Returns SUCCESS; UNSUPPORTED in a dry run and for a shadow; INVALID without a read or a function, for a read that
     * was not declared, before the instance has been made (so in `create`, `declare` and `events`), on another thread,
     * in a task, and for an unknown verb or a field that is not valid (the log says which: a name must not contain `/`,
     * `%`, `?` or a control character, nor be `.` or `..`); BUSY while BERTH_READ_MOST_PENDING reads of the instance
     * have no answer of the API server yet, cancelled ones among them; CANCELLED when the instance is about to end. On
     * any code but SUCCESS, on_read is not called, and `*id` is 0. Thread: bind or loop. */
    int32_t (*read)(const berth_host *host, const berth_read *read,
                    void (*on_read)(void *ctx, const berth_answer *answer), void *ctx,
                    uint64_t *id); /* [bind] [loop] */
    /** Ends a read. Before it returns, it calls the read's function with CANCELLED. Returns SUCCESS; NOT_FOUND if the
     * function has been called already; UNSUPPORTED in a dry run and for a shadow, and INVALID on another thread and in
     * a task: the read goes on. Thread: loop. */
    int32_t (*cancel)(const berth_host *host, uint64_t id); /* [loop] */
} berth_host_reader;

#endif /* BERTH_DRAFT_READER_H */

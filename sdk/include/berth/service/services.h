/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The services that a host offers: log, objects, CycleState, columns, clock, client, Events, and more. Each table is
 * fetched once, at create, by its id; every function takes the instance's `berth_host` first.
 */
#ifndef BERTH_SERVICE_SERVICES_H
#define BERTH_SERVICE_SERVICES_H

#include <berth/service/answer.h>
#include <berth/view/nodes.h>
#include <berth/view/object.h>
#include <berth/view/pod.h>

#define BERTH_HOST_LOG_V1 "berth.host.log/1"
#define BERTH_HOST_OBJECT_V1 "berth.host.object/1"
#define BERTH_HOST_STATE_V1 "berth.host.state/1"
#define BERTH_HOST_COLUMNS_V1 "berth.host.columns/1"
#define BERTH_HOST_RANDOM_V1 "berth.host.random/1"
#define BERTH_HOST_CLOCK_V1 "berth.host.clock/1"
#define BERTH_HOST_CLIENT_V1 "berth.host.client/1"
#define BERTH_HOST_WAITING_PODS_V1 "berth.host.waiting_pods/1"
#define BERTH_HOST_RECORDER_V1 "berth.host.recorder/1"

/* Severities. */
#define BERTH_LOG_INFO 0u
#define BERTH_LOG_WARNING 1u
#define BERTH_LOG_ERROR 2u

typedef struct berth_host_log {
    uint32_t struct_size;
    uint32_t flags;
    /** Would a line of this severity and verbosity (-v) be written? Ask before making an expensive text. Any thread. */
    int32_t (*enabled)(const berth_host *host, uint32_t severity, uint32_t verbosity); /* [any] */
    /** Writes one line, in the name of the plugin. `text` is copied. Any thread. */
    void (*write)(const berth_host *host, uint32_t severity, uint32_t verbosity, berth_str text); /* [any] */
} berth_host_log;

typedef struct berth_host_object {
    uint32_t struct_size;
    uint32_t flags;
    /** The value at an RFC 6901 JSON pointer ("" is the whole object), or NULL; also NULL if `object` is NULL. Lives as
     * the object does: in a call, until it returns; longer if retained. `metadata.managedFields` is left out of every
     * object. Any thread. */
    const berth_value *(*get)(const berth_host *host, const berth_object *object, berth_str pointer); /* [any] */
    /** Makes the object live until `release`. Does nothing if `object` is NULL. Any thread. */
    void (*retain)(const berth_host *host, const berth_object *object); /* [any] */
    /** Undoes one `retain` of this instance: call it once for each. Any thread. */
    void (*release)(const berth_host *host, const berth_object *object); /* [any] */
    /** Fills in the object's metadata. The caller sets `out->struct_size` and `out->flags`, the host lowers the size to
     * what it has filled in. Returns SUCCESS; INVALID if `object` is NULL, or a code of convention 3 of berth.h: `out`
     * is then not written to. Any thread. */
    int32_t (*meta)(const berth_host *host, const berth_object *object, berth_object_meta *out); /* [any] */
} berth_host_object;

/** What a plugin puts into a pod's CycleState. The plugin's, static data. */
typedef struct berth_plugin_state_type {
    uint32_t struct_size;
    uint32_t flags;
    /** Returns a copy that can be changed independently, or NULL if it cannot make one; the copied state then lacks the
     * data. The function pointer may be NULL if the data never changes after PreFilter; copies of the state then share
     * the data. */
    void *(*clone)(const struct berth_plugin_state_type *type, const void *data); /* [any] */
    /** Called once per datum and per clone, on the loop; for all of them before berth_plugin.destroy is called. May be
     * NULL. */
    void (*destroy)(const struct berth_plugin_state_type *type, void *data); /* [loop] */
} berth_plugin_state_type;

typedef struct berth_host_state {
    uint32_t struct_size;
    uint32_t flags;
    /** Interns the name of a datum, and returns its key, which is never 0. All plugins of the profile share the names:
     * begin each with the plugin's name. Thread: create. */
    uint32_t (*key)(const berth_host *host, berth_str name); /* [create] */
    /** Stores a datum and replaces an earlier one of that key, which it destroys unless it is the same pointer; NULL
     * removes it. If `type` is NULL, copies of the state
     * share the datum, and the host does not free it. Returns SUCCESS, and from then on the state owns the datum; or
     * INVALID for a key that `key` never returned, and the plugin still owns it. Thread: loop. */
    int32_t (*put)(const berth_host *host, berth_state *state, uint32_t key, void *data,
                   const berth_plugin_state_type *type); /* [loop] */
    /** The datum, or NULL. It lives until it is replaced, at most as long as the state: until PostBind or Unreserve has
     * returned or, if the attempt fails before Reserve, until the attempt ends. Thread: that of the call. */
    void *(*get)(const berth_host *host, const berth_state *state, uint32_t key); /* [par] */
} berth_host_state;

typedef struct berth_host_columns {
    uint32_t struct_size;
    uint32_t flags;
    /** Asks for a column of `kind` (BERTH_COLUMN_NODE_…, BERTH_COLUMN_POD_…) and returns its id. While an id is valid,
     * the same kind and key give the same id. The column is filled before the call returns. An id declared at create is
     * valid as long as the instance lives. One declared on the loop, in PreFilter or PreScore, is valid until the
     * attempt's Permit plugins have been called; declare it again in the next attempt, and do not store it longer:
     * `column` may then answer BERTH_STATUS_NOT_FOUND, or return the column of another key. One declared in PreEnqueue
     * is valid until the call returns. One id stands for all keys of a kind that no node has
     * (BERTH_FLAG_COLUMN_ABSENT). Returns 0 if the kind is unknown. For labels and annotations of pods, and for fields
     * of pods and nodes, it also returns 0 if the attempt has asked for more than 512 columns; then read the
     * objects. */
    uint32_t (*declare)(const berth_host *host, uint32_t kind, berth_str key); /* [create] [loop] */
} berth_host_columns;

typedef struct berth_host_random {
    uint32_t struct_size;
    uint32_t flags;
    /** 64 random bits that depend only on the host's seed, the plugin's name, the pod's attempt (`call`, NULL outside
     * of one), `slot` and `salt`: the same however a batch is split, and on every run with that seed. Any thread. */
    uint64_t (*value)(const berth_host *host, const berth_call *call, uint32_t slot, uint64_t salt); /* [any] */
} berth_host_random;

typedef struct berth_host_clock {
    uint32_t struct_size;
    uint32_t flags;
    /** Nanoseconds since the epoch, which can go backwards if the machine's clock is set; virtual in simulation. Any
     * thread. */
    int64_t (*now)(const berth_host *host); /* [any] */
    /** Calls `fn(ctx, code)` on the loop, once, whatever happens: it is where `ctx` is freed. `code` is SUCCESS once
     * `ns` have passed (the host limits `ns` to the range from 1 to a hundred years). `code` is CANCELLED if the timer
     * was cancelled, or if the instance ends first; the host then calls the functions of its timers in the order in
     * which they were begun, before `berth_plugin.destroy`.
     * Returns the timer, a number above 0. Returns 0 if `fn` is NULL or the instance is about to end; `fn` is then not
     * called. Any thread. */
    uint64_t (*after)(const berth_host *host, int64_t ns, void (*fn)(void *ctx, int32_t code), void *ctx); /* [any] */
    /** Ends a timer. Before it returns, it calls the timer's function with CANCELLED. Returns SUCCESS, or NOT_FOUND if
     * the function has been called already. Thread: loop. */
    int32_t (*cancel)(const berth_host *host, uint64_t timer); /* [loop] */
} berth_host_clock;

/** A request to the API server. Lives until `send` returns. */
typedef struct berth_request {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t verb; /**< BERTH_VERB_… */
    uint32_t reserved;
    berth_str group; /**< "" for the core group */
    berth_str version;
    berth_str resource; /**< plural, as in "pods" */
    berth_str namespace_, name;
    berth_str subresource;  /**< as in "binding", or empty */
    berth_str content_type; /**< of a patch; empty otherwise */
    berth_str body;         /**< JSON */
} berth_request;

typedef struct berth_host_client {
    uint32_t struct_size;
    uint32_t flags;
    /** Sends a request that the plugin declared and calls `on_done(ctx, answer)` on the loop, once, whatever happens:
     * it is where `ctx` is freed.
     * The host sends a request again, up to three times, if the API server is too busy for it (429) or has certainly
     * not seen it. It repeats all but creations without a name also if no answer came or the server is not available
     * (503), and a patch also on 409, 500 and above: so a request must not do more if it is carried out twice. If an
     * uncertain creation is repeated and answered with 409, the object is there: on_done gets 201, the text "{}" and
     * its value.
     * Other repetitions can be answered as if another client had been first (404 for a deletion). Two requests may be
     * carried out and answered in any order: if one must follow the other, send it from the other's on_done.
     * Returns SUCCESS; UNSUPPORTED for a request that was not declared, or that this host cannot send, and before the
     * instance has been made (so in `create`, `declare` and `events`); INVALID without a request or a function;
     * CANCELLED when the instance is about to end. On any code but SUCCESS, on_done is not called. Thread: bind or
     * loop. */
    int32_t (*send)(const berth_host *host, const berth_request *request,
                    void (*on_done)(void *ctx, const berth_answer *answer), void *ctx); /* [bind] [loop] */
} berth_host_client;

typedef struct berth_host_waiting_pods {
    uint32_t struct_size;
    uint32_t flags;
    /** Ends this plugin's wait for the pod of that uid: the plugin answered WAIT for it in Permit, and allows it now.
     * Returns BERTH_STATUS_SUCCESS or BERTH_STATUS_NOT_FOUND. Thread: loop. */
    int32_t (*allow)(const berth_host *host, berth_str uid); /* [loop] */
    /** Rejects a pod that waits in Permit, whichever plugin made it wait, in the name of this plugin. `reason` reaches
     * the pod's message. Returns BERTH_STATUS_SUCCESS or BERTH_STATUS_NOT_FOUND. Thread: loop. */
    int32_t (*reject)(const berth_host *host, berth_str uid, berth_str reason); /* [loop] */
    /** Ends the wait of a pod in Permit with an error, whichever plugin made it wait: the pod has to give way.
     * `reason`
     * reaches the pod's message. Returns BERTH_STATUS_SUCCESS or BERTH_STATUS_NOT_FOUND. Thread: loop. */
    int32_t (*preempt)(const berth_host *host, berth_str uid, berth_str reason); /* [loop] */
    /** Calls `visit` for each pod that waits in Permit, in the order in which they began to wait, until `visit` returns
     * 0. The
     * pods live until that callback returns; the callback may allow and reject. Thread: loop. */
    void (*visit)(const berth_host *host, int32_t (*visit)(void *ctx, const berth_pod *pod, berth_str node_name),
                  void *ctx); /* [loop] */
} berth_host_waiting_pods;

typedef struct berth_host_recorder {
    uint32_t struct_size;
    uint32_t flags;
    /** Writes a Kubernetes Event about `regarding`: `type` is "Normal" or "Warning", `reason` and `action` one word
     * each, of 1 to 128 bytes, `note` the text (cut at 1,024 bytes). Sent in the background, in the profile's name;
     * copied. Returns SUCCESS; INVALID for an Event that breaks these rules, UNSUPPORTED if this instance may not write
     * Events, because it belongs to a shadow or is in a dry run. Thread: loop. */
    int32_t (*event)(const berth_host *host, const berth_object *regarding, berth_str type, berth_str reason,
                     berth_str action, berth_str note); /* [loop] */
} berth_host_recorder;

#endif /* BERTH_SERVICE_SERVICES_H */

/* SPDX-License-Identifier: Apache-2.0 */
/* Quota: at most so many pods of a namespace on a node, and the emptiest node first. A sound plugin in C that has most
 * points. bugs.txt beside it lists what each -DBUG_… makes of it: the contract of the ABI broken once, as an author
 * might, and never the rule. */
#ifndef QUOTA_H
#define QUOTA_H

#include <berth/berth.h>

#include <string.h>

/* With PreBind, which ends its calls on a thread of the plugin's own. */
#if defined(BUG_late_twice) || defined(BUG_late_never) || defined(BUG_late_and_now) || defined(SOUND_late)
#define LATE
#endif

typedef struct quota {
    const berth_host *host;
    const berth_host_state *state;
    const berth_host_log *log;
    const berth_host_object *object;
    const berth_host_call *given;
    uint32_t key;
    uint32_t reserved; /* pods that have a node and are not bound yet */
    int64_t limit;
    int64_t most_reserved;
    char *message;
    const berth_pod *kept;
    const berth_call *call;
    uint32_t calls;
    struct met *met; /* what BUG_remembers_pods and _labels keep */
} quota;

typedef struct met {
    struct met *before;
    uint64_t len;
    char text[]; /* a label's value, of BUG_remembers_labels */
} met;

/* What PreFilter leaves behind: how many pods of the pod's namespace each slot has. */
typedef struct counts {
    uint32_t slots;
    uint32_t reserved; /* this pod counts among those */
    uint32_t of[];
} counts;

static inline int same(berth_str a, berth_str b) { return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0; }

static inline const berth_host_call *calls_of(const berth_host *host) {
    static const berth_str id = BERTH_STR_INIT(BERTH_HOST_CALL_V1);
    return host->get_service(host, id);
}
static inline void refuse(const berth_host *host, berth_status *status, int32_t code, const char *text) {
    berth_str said = {text, strlen(text)};
    status->code = code;
    if (code == BERTH_STATUS_ERROR) calls_of(host)->set_error(host, status, said);
    else calls_of(host)->set_reasons(host, status, &said, 1);
}

void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status);
void destroy(void *self);
const void *get_interface(berth_str id);

#endif

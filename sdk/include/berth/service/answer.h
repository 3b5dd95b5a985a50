/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * An answer of the API server to a request or to a read.
 */
#ifndef BERTH_SERVICE_ANSWER_H
#define BERTH_SERVICE_ANSWER_H

#include <berth/status.h>

/** What the API server answered to `send` of berth.host.client/1, or to `read` of berth.host.reader/draft1. The host
 * sets struct_size; fields are only appended. Lives, with all that it leads to, until the function that was given it
 * returns. */
typedef struct berth_answer {
    uint32_t struct_size;
    uint32_t flags;
    /** SUCCESS: an answer came, whatever its status. ERROR: none came. LIMIT_EXCEEDED: the answer was longer than the
     * host allows; ask for less. CANCELLED: the function waits no longer, because it was cancelled or the instance
     * ends.
     * Whatever the code, a request that changes something may have been carried out, unless an answer says
     * otherwise. */
    int32_t code;
    int32_t http_status; /**< as in 200, or 404 for an object that does not exist; 0 if code is not SUCCESS */
    /** The body; of a binding that succeeded always "{}". If http_status is 400 or above or 0, a sentence for people.
     * In a replay, JSON can be spelled differently: in its spaces, numbers and escapes. `value` is the same. */
    berth_str text;
    /** The body, parsed; NULL if it is not a JSON object, if http_status is 0, and for a binding that succeeded. If
     * http_status is 400 or above, it is Kubernetes' Status, as in `reason` "Conflict"; NULL also for a refusal whose
     * body is longer than 64 KiB. */
    const berth_value *value;
} berth_answer;

#endif /* BERTH_SERVICE_ANSWER_H */

/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Log lines with fields that a program can search.
 */
#ifndef BERTH_DRAFT_LOG_FIELDS_H
#define BERTH_DRAFT_LOG_FIELDS_H

#include <berth/host.h>
#include <berth/text.h>

#define BERTH_HOST_LOG_FIELDS_DRAFT1 "berth.host.log_fields/draft1"

typedef struct berth_host_log_fields {
    uint32_t struct_size;
    uint32_t flags;
    /** Writes one line in the name of the plugin, as `"Held a pod" pod="default/web" missing=3`: `message` is a phrase
     * that is the same every time. Values that vary belong into `fields`; the line has them in that order.
     * A key is 1 to 64 letters, digits and
     * `_.-/`. Numbers and booleans stand bare, NaN and infinities are `null`; text is quoted, with JSON's escapes; an
     * ARRAY or OBJECT is JSON. In a call about a pod the host begins the fields with "pod", whose value is
     * "namespace/name", unless `fields` has that key. `enabled` of berth.host.log/1 says whether a line of that
     * severity and verbosity (-v) is written: ask before making expensive fields. A severity is a BERTH_LOG_…. Copied.
     * The host cuts the message and each text at 1,024 bytes (escapes can lengthen these to 6,144). It cuts an ARRAY or
     * OBJECT before the first item that would begin after its first 1,024 bytes, and before items that are nested more
     * than 8 deep. It omits fields after the 32nd. If any of this has happened, the line ends with `cut=true`.
     * An invalid key and a repeated one are errors of the plugin that the host tolerates: it omits a field whose key is
     * invalid and writes a repeated one again, and the strict checks report both. Any thread. */
    void (*write)(const berth_host *host, uint32_t severity, uint32_t verbosity, berth_str message,
                  const berth_kv *fields, uint64_t n); /* [any] */
} berth_host_log_fields;

#endif /* BERTH_DRAFT_LOG_FIELDS_H */

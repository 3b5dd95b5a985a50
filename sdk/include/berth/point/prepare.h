/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Prepare: values that a plugin derives from an object once, not for every call.
 */
#ifndef BERTH_POINT_PREPARE_H
#define BERTH_POINT_PREPARE_H

#include <berth/host.h>

#define BERTH_PLUGIN_PREPARE_V1 "berth.prepare/1"

typedef struct berth_plugin_prepare {
    uint32_t struct_size;
    uint32_t flags;
    /** Stores in `*out` what the plugin wants to have at hand about a version of an object: parsed selectors, terms.
     * NULL if there is nothing to keep. Called when the plugin first asks for it by berth.host.prepared/1, within that
     * call. Owner: `object` is the host's and lives until return, longer if retained; `*out` is the plugin's, until
     * `drop`. Thread: loop. Host: on SUCCESS it keeps `*out` with the version and answers with it from then on. Any
     * other code goes, with the status's texts, to the caller of `get`; `*out` is not looked at then. */
    void (*prepare)(void *self, const berth_object *object, void **out, berth_status *status); /* [loop] */
    /** Frees what `prepare` stored: some time after that version is gone, at the latest before `berth_plugin.destroy`.
     * Not called for NULL. Thread: loop. */
    void (*drop)(void *self, void *data); /* [loop] */
} berth_plugin_prepare;

#endif /* BERTH_POINT_PREPARE_H */

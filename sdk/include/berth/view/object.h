/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The metadata of every object.
 */
#ifndef BERTH_VIEW_OBJECT_H
#define BERTH_VIEW_OBJECT_H

#include <berth/view/pods.h>

/** Metadata. Lives as the object does. */
typedef struct berth_object_meta {
    uint32_t struct_size; /**< the caller sets it; the host lowers it to what it has filled in */
    uint32_t flags;       /**< the caller sets them, then the host */
    berth_str namespace_, name, uid, resource_version;
    const berth_label *labels; /**< sorted by key */
    uint64_t labels_len;
} berth_object_meta;

#endif /* BERTH_VIEW_OBJECT_H */

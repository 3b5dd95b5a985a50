/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Watches of some objects of a kind: by namespace, name, labels and fields.
 */
#ifndef BERTH_DRAFT_SELECTIVE_WATCHES_H
#define BERTH_DRAFT_SELECTIVE_WATCHES_H

#include <berth/plugin.h>
#include <berth/text.h>

#define BERTH_HOST_SELECTIVE_WATCHES_DRAFT1 "berth.host.selective_watches/draft1"

/* Bounds. A host has at least these. */
#define BERTH_WATCH_MOST_SELECTIONS 16u /**< different ones of a kind, of one instance */

/** What to watch: the objects of a kind that have all of this. Lives until `declare` returns. */
typedef struct berth_watch {
    uint32_t struct_size;
    uint32_t flags;
    berth_str group; /**< "" for the core group */
    berth_str version;
    berth_str resource;       /**< plural, as in "configmaps" */
    berth_str namespace_;     /**< "" for all namespaces, and for a kind without namespaces */
    berth_str name;           /**< "" for all names */
    berth_str label_selector; /**< as in "app=web,tier in (a,b),!old"; "" selects everything */
    /** As in "metadata.name!=a,spec.type=b"; "" selects everything. A field is the path of a text, a number or a
     * boolean in the object; one that is absent is "". The host itself selects by fields, so that also those work which
     * an API server does not support. */
    berth_str field_selector;
} berth_watch;

/** Watches of a part of a kind. berth.host.cluster/1 and the events of such an instance have only the selected objects,
 * whatever else the host watches. An object that begins to be selected is new to the instance, and one that ceases to
 * be is gone. `version` of berth.host.cluster/1 can also grow when none of the selected objects has changed.
 *
 * A host watches a kind once. It asks the API server for the namespace, the name and the label selector, as far as
 * these are the same in all selections of the kind in a configuration, and needs no more rights than for that. While it
 * runs, it may refuse a configuration that needs other objects of the kind.
 *
 * A selection holds for all versions of its kind: it also decides which events of another version the instance gets,
 * unless the instance declares that version, too.
 *
 * A plugin must not declare the whole kind in place of a selection because a host lacks this service: that needs more
 * rights and more memory, and the plugin would act on objects that are not meant for it. Its `declare` answers ERROR
 * instead, with a text that names BERTH_HOST_SELECTIVE_WATCHES_DRAFT1, and the host refuses the profile. The C++
 * wrapper and the Rust crate do so. */
typedef struct berth_host_selective_watches {
    uint32_t struct_size;
    uint32_t flags;
    /** Called in berth_plugin.declare, with its sink, instead of declare_watch (berth.host.sinks/1): this instance
     * watches these objects. Several calls for one kind add up; if the instance also declares the whole kind, it has
     * all of it. The note's "watches" must list the kind. The host refuses the plugin for a kind that declare_watch
     * would be refused for, for a name or selector that is not valid, for a namespace with one of Kubernetes' own kinds
     * that has none, and for more than BERTH_WATCH_MOST_SELECTIONS. A namespace with another kind that has none makes
     * the watch fail, as a kind does that the API server does not have (berth.host.cluster/1). Copied. */
    void (*declare)(const berth_host *host, berth_declare_sink *sink, const berth_watch *watch); /* [create] */
} berth_host_selective_watches;

#endif /* BERTH_DRAFT_SELECTIVE_WATCHES_H */

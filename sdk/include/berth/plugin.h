/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * One plugin: its name, its interfaces, and the functions that create, configure and end it.
 */
#ifndef BERTH_PLUGIN_H
#define BERTH_PLUGIN_H

#include <berth/host.h>

/** What an instance is made for. Lives until the call returns. */
typedef struct berth_create_info {
    uint32_t struct_size;
    uint32_t flags;
    berth_str profile;             /**< the profile's schedulerName */
    berth_str plugin_name;         /**< the plugin's name in the configuration; the option `--plugin NAME=FILE` can make
                                      it differ from berth_plugin.name */
    berth_str args;                /**< a JSON object: for default_args as configured ("{}" if nothing was configured),
                                      for create as default_args wrote it */
    berth_str args_api_version;    /**< "kubescheduler.config.k8s.io/v1" */
    const berth_value *args_value; /**< the same arguments as a tree */
    const berth_str *extender_resources; /**< resources that NodeResourcesFit-like plugins leave to extenders */
    uint64_t extender_resources_len;
} berth_create_info;

/* A sink collects a plugin's output, which may have several parts.
 * Sinks are opaque; the functions of berth.host.sinks/1 write to them. */

/** Takes a text that a plugin writes. */
typedef struct berth_text_sink berth_text_sink;

/** Collects an argument's errors, each with the place it belongs to. */
typedef struct berth_error_sink berth_error_sink;

/* Verbs of a declared write. */
#define BERTH_VERB_CREATE 1u
#define BERTH_VERB_UPDATE 2u
#define BERTH_VERB_PATCH 3u
#define BERTH_VERB_DELETE 4u

/** Collects what an instance watches and writes. `berth config rbac` derives the minimal RBAC rights from it. The host
 * always watches nodes and pods. A plugin must not declare them: berth.host.cluster/1 does not have them. */
typedef struct berth_declare_sink berth_declare_sink;

/** A plugin as its library describes it. Static data. */
typedef struct berth_plugin {
    uint32_t struct_size;
    uint32_t flags;
    berth_str name;    /**< not empty, without blanks and control characters; unique in the library, and among a host's
                            libraries, or the option `--plugin NAME=FILE` must choose one. A library has 1,024 plugins
                            at most, and a plugin 1,024 ids of each sort, each of them once */
    berth_str version; /**< of the plugin, free form */
    berth_str vendor;
    berth_str description;          /**< one line */
    const berth_str *interface_ids; /**< what get_interface knows, as in "berth.filter/1". A host does not use an id
                                         that it does not know: if the plugin's answers are wrong without it, require
                                         the minor that introduced it (abi_required_minor of berth_library) */
    uint64_t interface_ids_len;
    const berth_str *required_services; /**< create is not called on a host without them */
    uint64_t required_services_len;
    const berth_str *optional_services;
    uint64_t optional_services_len;

    /** Defaults and validates the arguments `in` (a JSON object; "{}" when none were configured) for the configuration
     * version in `info`, and writes the defaulted JSON object to `out`. Every fault goes to `errors`; the host shows
     * them with file and line and refuses the configuration. It also refuses it if `out` is not a JSON object.
     * This function may be NULL: the host then takes the arguments as they are.
     * The host makes an instance by these calls, in this order: default_args, create, declare, and `events` of
     * berth.events/1. It may call default_args alone, to examine a configuration, and more than once.
     * Owner: all inputs are the host's and live until return; there is no instance yet. Of the services of `host`, use
     * only berth.host.sinks/1 and those whose header says that default_args may use them. Thread: create. */
    void (*default_args)(const berth_host *host, const berth_create_info *info, const berth_value *in,
                         berth_text_sink *out, berth_error_sink *errors); /* [create] */

    /** Makes an instance for one profile and stores it in `*self`. On any code but BERTH_STATUS_SUCCESS the profile is
     * refused with the status's text and `destroy` is not called. `host` lives as long as the instance. Several
     * instances live at the same time, also of one profile (while a configuration is reloaded, for a shadow): they
     * share the library's globals. Thread: create. */
    void (*create)(const berth_host *host, const berth_create_info *info, void **self,
                   berth_status *status); /* [create] */

    /** Names what this instance, with its arguments, watches and writes; the note must list all of it, and may list
     * more. May be NULL.
     * On any code but BERTH_STATUS_SUCCESS the profile is refused with the status's text. Thread: create. */
    void (*declare)(void *self, berth_declare_sink *sink, berth_status *status); /* [create] */

    /** Ends an instance, after its last call has returned. A call that answered BERTH_STATUS_IN_PROGRESS and was not
     * ended is cancelled by then (see berth_done).
     * When this has returned, nothing of the plugin uses `host` any more: its own
     * threads are to be joined here. Thread: create. */
    void (*destroy)(void *self); /* [create] */

    /** The table of one of `interface_ids` (berth/point/), or NULL. Static data; any thread. */
    const void *(*get_interface)(berth_str id); /* [any] */
} berth_plugin;

#endif /* BERTH_PLUGIN_H */

/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * One plugin: its name, what it needs, and how it is made, configured and ended.
 */
#ifndef BERTH_PLUGIN_H
#define BERTH_PLUGIN_H

#include <berth/host.h>

/** What an instance is made for. Lives until the call returns. */
typedef struct berth_create_info {
    uint32_t struct_size;
    uint32_t flags;
    berth_str profile;              /**< the profile's schedulerName */
    berth_str plugin_name;          /**< the name used in the configuration: a pin may give a plugin another name */
    berth_str args;                 /**< JSON object, defaulted by default_args; "{}" if nothing was configured */
    berth_str args_api_version;     /**< "kubescheduler.config.k8s.io/v1" */
    const berth_value *args_value;  /**< the same arguments as a tree */
    const berth_str *feature_gates; /**< "Name=true" or "Name=false", those that were set */
    uint64_t feature_gates_len;
    const berth_str *extender_resources; /**< resources that NodeResourcesFit-like plugins leave to extenders */
    uint64_t extender_resources_len;
} berth_create_info;

/** Takes a text that a plugin writes. */
typedef struct berth_text_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *ctx;
    void (*write)(void *ctx, berth_str text); /**< copied at once; several writes are joined */
} berth_text_sink;

/** Collects an argument's errors, each with the place it belongs to. */
typedef struct berth_error_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *ctx;
    /** `path` is below the arguments, as in "scoringStrategy.resources[0].weight"; "" is the whole. Copied. */
    void (*add)(void *ctx, berth_str path, berth_str text);
} berth_error_sink;

/* Verbs of a declared write. */
#define BERTH_VERB_CREATE 1u
#define BERTH_VERB_UPDATE 2u
#define BERTH_VERB_PATCH 3u
#define BERTH_VERB_DELETE 4u

/** Collects what an instance watches and writes, so that the least rights can be worked out. Nodes and pods are always
 * watched and need not be named. */
typedef struct berth_declare_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *ctx;
    void (*watch)(void *ctx, berth_str group, berth_str version, berth_str resource);
    /** `resource` may name a subresource, as in "pods/binding". */
    void (*write)(void *ctx, uint32_t verb, berth_str group, berth_str version, berth_str resource);
} berth_declare_sink;

/** A plugin as its library describes it. Static data. */
typedef struct berth_plugin {
    uint32_t struct_size;
    uint32_t flags;
    berth_str name;    /**< unique among the libraries of a host, unless pinned */
    berth_str version; /**< of the plugin, free form */
    berth_str vendor;
    berth_str description;          /**< one line */
    const berth_str *interface_ids; /**< what get_interface knows, as in "berth.filter/1" */
    uint64_t interface_ids_len;
    const berth_str *required_services; /**< create is not called on a host without them */
    uint64_t required_services_len;
    const berth_str *optional_services;
    uint64_t optional_services_len;
    berth_str args_schema; /**< JSON Schema of the arguments, or empty */

    /** Defaults and validates the arguments `in` (a JSON object; "{}" when none were configured) for the configuration
     * version in `info`, and writes the defaulted JSON object to `out`. Every fault goes to `errors`; the host shows
     * them with file and line and refuses the configuration. NULL: the arguments are taken as they are.
     * Owner: all inputs are the host's and live until return. Thread: create. */
    void (*default_args)(const berth_create_info *info, const berth_value *in, const berth_text_sink *out,
                         const berth_error_sink *errors) BERTH_CREATE;

    /** Makes an instance for one profile and stores it in `*self`. On any code but BERTH_SUCCESS the profile is refused
     * with the status's text and `destroy` is not called. `host` lives as long as the instance. Thread: create. */
    void (*create)(const berth_host *host, const berth_create_info *info, berth_status *status,
                   void **self) BERTH_CREATE;

    /** Names what this instance, with its arguments, watches and writes: a part of what the note says. May be NULL.
     * Thread: create. */
    void (*declare)(void *self, const berth_declare_sink *sink) BERTH_CREATE;

    /** Ends an instance, after its last call has returned. Thread: create. */
    void (*destroy)(void *self) BERTH_CREATE;

    /** The table of one of `interface_ids` (berth/point/), or NULL. Static data; any thread. */
    const void *(*get_interface)(berth_str id)BERTH_ANY;
} berth_plugin;

#endif /* BERTH_PLUGIN_H */

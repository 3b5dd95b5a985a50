/* SPDX-License-Identifier: Apache-2.0 */
/* One library per case: HOSTILE_<case> says what is wrong with it. Without any it is a sound library. */
#include <berth/berth.h>
#include <berth/draft/reader.h>
#include <berth/draft/selective_watches.h>

#include <string.h>

#if defined(HOSTILE_entry_null)
#define ENTRY NULL
#elif defined(HOSTILE_library_size)
#define LIBRARY_SIZE 40
#elif defined(HOSTILE_library_flags)
#define LIBRARY_FLAGS (1u << 20)
#elif defined(HOSTILE_required_minor_999)
#define REQUIRED_MINOR 999
#define NOTE_MINOR "999"
#elif defined(HOSTILE_required_minor_hidden)
#define REQUIRED_MINOR 999
#elif defined(HOSTILE_newer_header)
#define HEADER_MINOR 999
#elif defined(HOSTILE_no_plugins)
#define PLUGIN_COUNT 0
#elif defined(HOSTILE_plugins_null)
#define PLUGINS NULL
#elif defined(HOSTILE_too_many_plugins)
#define PLUGIN_COUNT (UINT64_C(1) << 60)
#elif defined(HOSTILE_plugin_null)
#define PLUGIN_LIST NULL
#elif defined(HOSTILE_plugin_twice)
#define PLUGIN_LIST &plugin, &plugin
#elif defined(HOSTILE_plugin_size)
#define PLUGIN_SIZE 4
#elif defined(HOSTILE_plugin_flags)
#define PLUGIN_FLAGS 0x80000000u
#elif defined(HOSTILE_plugin_unnamed)
#define NAME ""
#elif defined(HOSTILE_plugin_blank)
#define NAME "So\nund"
#elif defined(HOSTILE_plugin_name_null)
#define NAME_STR {NULL, 7}
#elif defined(HOSTILE_no_create)
#define CREATE NULL
#elif defined(HOSTILE_no_destroy)
#define DESTROY NULL
#elif defined(HOSTILE_no_get_interface)
#define GET_INTERFACE NULL
#elif defined(HOSTILE_interface_missing)
#define TABLE NULL
#elif defined(HOSTILE_interface_twice)
#define INTERFACES BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1), BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1)
#elif defined(HOSTILE_interface_empty)
#define INTERFACES BERTH_STR_INIT("")
#elif defined(HOSTILE_interface_unknown)
#define INTERFACES BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1), BERTH_STR_INIT("berth.tea/1")
#define NOTE_INTERFACES "[\"berth.tea/1\",\"berth.filter/1\"]"
#elif defined(HOSTILE_interface_draft)
#define INTERFACES BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1), BERTH_STR_INIT("berth.tea/draft1")
#define NOTE_INTERFACES "[\"berth.tea/draft1\",\"berth.filter/1\"]"
#elif defined(HOSTILE_table_size)
#define TABLE_SIZE 8
#elif defined(HOSTILE_table_flags)
#define TABLE_FLAGS (1u << 16)
#elif defined(HOSTILE_table_empty)
#define FILTER NULL
#elif defined(HOSTILE_note_name)
#define NOTE_NAME "Other"
#elif defined(HOSTILE_note_version)
#define NOTE_VERSION "2.0.0"
#elif defined(HOSTILE_note_interface)
#define NOTE_INTERFACES "[\"berth.filter/1\",\"berth.score/1\"]"
#elif defined(HOSTILE_note_more_plugins)
#define NOTE_MORE ",{\"name\":\"Ghost\"}"
#elif defined(HOSTILE_note_other_abi)
#define NOTE_ABI "2"
#elif defined(HOSTILE_note_not_json)
#define NOTE "{\"abi\": 1, "
#elif defined(HOSTILE_note_wrong_type)
#define NOTE "{\"abi\": 1, \"plugins\": [{\"name\": 7}]}"
#elif defined(HOSTILE_note_no_plugins)
#define NOTE "{\"abi\": 1, \"plugins\": []}"
#elif defined(HOSTILE_note_no_abi)
#define NOTE "{\"plugins\": [{\"name\": \"Sound\"}]}"
#elif defined(HOSTILE_note_repeats)
#define NOTE_MORE ",{\"name\":\"Sound\"}"
#elif defined(HOSTILE_no_note)
#define NO_NOTE
#elif defined(HOSTILE_uses_damaged)
#define NO_NOTE
#define USES "tea"
#elif defined(HOSTILE_create_fails)
#define ON_CREATE (status->code = BERTH_STATUS_ERROR, set_error(host, status, BERTH_STR("no tea today")))
#elif defined(HOSTILE_create_99)
#define ON_CREATE (status->code = 99)
#elif defined(HOSTILE_needs_service)
#define REQUIRED BERTH_STR_INIT("berth.tea/1")
#define NOTE_REQUIRES "[\"berth.tea/1\"]"
#elif defined(HOSTILE_declare_fails)
#define ON_DECLARE (status->code = BERTH_STATUS_ERROR, set_error(kept_host, status, BERTH_STR("no tea to declare")))
#elif defined(HOSTILE_declares_unnoted)
#define ON_DECLARE                                                                                      \
    sinks(kept_host)->declare_write(kept_host, sink, BERTH_VERB_DELETE, BERTH_STR(""), BERTH_STR("v1"), \
                                    BERTH_STR("nodes"))
#elif defined(HOSTILE_declares_verb_9)
#define NO_NOTE
#define ON_DECLARE \
    sinks(kept_host)->declare_write(kept_host, sink, 9, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("nodes"))
#elif defined(HOSTILE_declares_verb_of_read)
#define NO_NOTE
#define ON_DECLARE \
    sinks(kept_host)->declare_write(kept_host, sink, BERTH_READ_GET, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("nodes"))
#elif defined(HOSTILE_declares_write_like_version)
#define NO_NOTE
#define ON_DECLARE                                                                                                    \
    sinks(kept_host)->declare_write(kept_host, sink, BERTH_VERB_CREATE, BERTH_STR("v1.example.com"), BERTH_STR("v1"), \
                                    BERTH_STR("teas"))
#elif defined(HOSTILE_declares_watch_like_version)
#define NO_NOTE
#define ON_DECLARE \
    sinks(kept_host)->declare_watch(kept_host, sink, BERTH_STR("v1.example.com"), BERTH_STR("v1"), BERTH_STR("teas"))
#elif defined(HOSTILE_declares_read_of_write)
#define NO_NOTE
#define ON_DECLARE                                                                                 \
    reader(kept_host)->declare(kept_host, sink, BERTH_VERB_DELETE, BERTH_STR(""), BERTH_STR("v1"), \
                               BERTH_STR("configmaps"))
#elif defined(HOSTILE_declares_read_9)
#define ON_DECLARE reader(kept_host)->declare(kept_host, sink, 9, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("nodes"))
#elif defined(HOSTILE_declares_read_path)
#define ON_DECLARE \
    reader(kept_host)->declare(kept_host, sink, BERTH_READ_GET, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("../nodes"))
#elif defined(HOSTILE_declares_read_watch)
#define ON_DECLARE \
    reader(kept_host)->declare(kept_host, sink, BERTH_READ_GET, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("watch"))
#elif defined(HOSTILE_declares_unnoted_read)
#define ON_DECLARE \
    reader(kept_host)->declare(kept_host, sink, BERTH_READ_LIST, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("nodes"))
#elif defined(HOSTILE_declares_selected_class)
#define ON_DECLARE select_objects("storage.k8s.io", "storageclasses", "tea", "", sizeof(berth_watch))
#elif defined(HOSTILE_declares_selected_many)
#define NO_NOTE
#define ON_DECLARE select_many(sink)
#elif defined(HOSTILE_declares_selected_nothing)
#define ON_DECLARE selective(kept_host)->declare(kept_host, sink, NULL)
#elif defined(HOSTILE_declares_selected_path)
#define ON_DECLARE select_objects("", "../pods", "tea", "", sizeof(berth_watch))
#elif defined(HOSTILE_declares_selected_pods)
#define ON_DECLARE select_objects("", "pods", "tea", "", sizeof(berth_watch))
#elif defined(HOSTILE_declares_selected_short)
#define ON_DECLARE select_objects("", "services", "tea", "", 16)
#elif defined(HOSTILE_declares_selected_text)
#define ON_DECLARE select_objects("", "services", "tea", "app in tea", sizeof(berth_watch))
#elif defined(HOSTILE_declares_selected_unnoted)
#define ON_DECLARE select_objects("", "configmaps", "tea", "app", sizeof(berth_watch))
#elif defined(HOSTILE_declares_pods)
#define ON_DECLARE sinks(kept_host)->declare_watch(kept_host, sink, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("pods"))
#elif defined(HOSTILE_declares_nodes)
#define ON_DECLARE sinks(kept_host)->declare_watch(kept_host, sink, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("nodes"))
#elif defined(HOSTILE_asks_pods)
#define ON_CREATE ask_for(host, "", "pods")
#elif defined(HOSTILE_asks_undeclared)
#define ON_CREATE (ask_for(host, "", "services"), ask_for(host, "apps", "deployments"))
#elif defined(HOSTILE_asks_late)
#define ON_FILTER (ask_for(kept_host, "", "services"), ask_for(kept_host, "apps", "deployments"))
#elif defined(HOSTILE_args_faults)
#define ON_DEFAULT_ARGS                                                                          \
    (sinks(host)->add_error(host, errors, BERTH_STR("cups[1].size"), BERTH_STR("is too small")), \
     sinks(host)->add_error(host, errors, BERTH_STR(""), BERTH_STR("lacks milk")))
#elif defined(HOSTILE_args_no_object)
#define ON_DEFAULT_ARGS sinks(host)->write_text(host, out, BERTH_STR("[1]"))
#elif defined(HOSTILE_args_nothing)
#define ON_DEFAULT_ARGS (void)out
#elif defined(HOSTILE_filter_99)
#define VERDICT 99
#elif defined(HOSTILE_filter_wait)
#define VERDICT BERTH_STATUS_WAIT
#elif defined(HOSTILE_filter_not_evaluated)
#define VERDICT BERTH_STATUS_NOT_EVALUATED
#elif defined(HOSTILE_filter_bad_reasons)
#define VERDICT BERTH_STATUS_UNSCHEDULABLE
#define REASONS 4711
#elif defined(HOSTILE_score_101)
#define SCORE 101
#endif

#ifndef NAME
#define NAME "Sound"
#endif
#ifndef NAME_STR
#define NAME_STR BERTH_STR_INIT(NAME)
#endif
#ifndef ENTRY
#define ENTRY &library
#endif
#ifndef LIBRARY_SIZE
#define LIBRARY_SIZE sizeof(berth_library)
#endif
#ifndef LIBRARY_FLAGS
#define LIBRARY_FLAGS 0
#endif
#ifndef REQUIRED_MINOR
#define REQUIRED_MINOR 0
#endif
#ifndef HEADER_MINOR
#define HEADER_MINOR BERTH_ABI_MINOR
#endif
#ifndef PLUGIN_LIST
#define PLUGIN_LIST &plugin
#endif
#ifndef PLUGINS
#define PLUGINS plugins
#endif
#ifndef PLUGIN_COUNT
#define PLUGIN_COUNT (sizeof plugins / sizeof plugins[0])
#endif
#ifndef PLUGIN_SIZE
#define PLUGIN_SIZE sizeof(berth_plugin)
#endif
#ifndef PLUGIN_FLAGS
#define PLUGIN_FLAGS 0
#endif
#ifndef CREATE
#define CREATE create
#endif
#ifndef DESTROY
#define DESTROY destroy
#endif
#ifndef GET_INTERFACE
#define GET_INTERFACE get_interface
#endif
#ifdef SCORE
#define INTERFACES BERTH_STR_INIT(BERTH_PLUGIN_SCORE_V1)
#define NOTE_INTERFACES "[\"berth.score/1\"]"
#define TABLE &score_table
#endif
#ifndef INTERFACES
#define INTERFACES BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1)
#endif
#ifndef TABLE
#define TABLE &filter_table
#endif
#ifndef TABLE_SIZE
#define TABLE_SIZE sizeof(berth_plugin_filter)
#endif
#ifndef TABLE_FLAGS
#define TABLE_FLAGS 0
#endif
#ifndef FILTER
#define FILTER filter
#endif
#ifndef VERDICT
#define VERDICT BERTH_STATUS_SUCCESS
#endif
#ifndef REASONS
#define REASONS BERTH_NO_REASONS
#endif
#ifndef SCORE
#define SCORE 100
#endif
#ifndef ON_CREATE
#define ON_CREATE (void)status
#endif
#ifndef ON_FILTER
#define ON_FILTER (void)kept_host
#endif
#ifndef ON_DECLARE
#define ON_DECLARE (void)sink
#endif
#ifndef ON_DEFAULT_ARGS
#define ON_DEFAULT_ARGS sinks(host)->write_text(host, out, info->args)
#endif

#ifndef NOTE_NAME
#define NOTE_NAME "Sound"
#endif
#ifndef NOTE_ABI
#define NOTE_ABI "1"
#endif
#ifndef NOTE_VERSION
#define NOTE_VERSION "1.0.0"
#endif
#ifndef NOTE_MINOR
#define NOTE_MINOR "0"
#endif
#ifndef NOTE_INTERFACES
#define NOTE_INTERFACES "[\"berth.filter/1\"]"
#endif
#ifndef NOTE_REQUIRES
#define NOTE_REQUIRES "[]"
#endif
#ifndef NOTE_MORE
#define NOTE_MORE ""
#endif
#ifndef NOTE
#define NOTE                                                                                     \
    "{\"abi\":" NOTE_ABI ",\"requiredMinor\":" NOTE_MINOR ",\"plugins\":[{\"name\":\"" NOTE_NAME \
    "\",\"version\":\"" NOTE_VERSION                                                             \
    "\",\"vendor\":\"tests\",\"description\":\"says yes\",\"interfaces\":" NOTE_INTERFACES       \
    ",\"requires\":" NOTE_REQUIRES ",\"watches\":[\"v1/services\"],\"writes\":[]}" NOTE_MORE "]}"
#endif
#ifndef NO_NOTE
BERTH_MANIFEST(NOTE);
#endif
#ifdef USES
/* Not a variable: the address sanitizer would put bytes behind it. */
__asm__(".pushsection " BERTH_NOTE_USES_SECTION ", \"a\", @note\n.asciz \"" USES "\"\n.popsection");
#endif

static const berth_host *kept_host; /* of the one instance */
__attribute__((unused)) static void ask_for(const berth_host *host, const char *group, const char *resource) {
    const berth_host_cluster *cluster = host->get_service(host, BERTH_STR(BERTH_HOST_CLUSTER_V1));
    cluster->kind(host, (berth_str){group, strlen(group)}, BERTH_STR("v1"), (berth_str){resource, strlen(resource)});
}

static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int32_t *code, uint32_t *reasons) {
    (void)self, (void)call, (void)state, (void)pod, (void)nodes, (void)slots;
    ON_FILTER;
    for (uint64_t i = 0; i < n; ++i) {
        code[i] = VERDICT;
        reasons[i] = REASONS;
    }
}
static const berth_plugin_filter filter_table = {TABLE_SIZE, TABLE_FLAGS, FILTER};

static void score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                  const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int64_t *out, berth_status *status) {
    (void)self, (void)call, (void)state, (void)pod, (void)nodes, (void)slots, (void)status;
    for (uint64_t i = 0; i < n; ++i) out[i] = SCORE;
}
static const berth_plugin_score score_table = {sizeof(berth_plugin_score), 0, score};

static const berth_host_sinks *sinks(const berth_host *host) {
    return host->get_service(host, BERTH_STR(BERTH_HOST_SINKS_V1));
}
__attribute__((unused)) static const berth_host_reader *reader(const berth_host *host) {
    return host->get_service(host, BERTH_STR(BERTH_HOST_READER_DRAFT1));
}
#define select_objects(of_group, of_resource, of_namespace, of_labels, size)                 \
    selective(kept_host)->declare(kept_host, sink,                                           \
                                  &(berth_watch){.struct_size = size,                        \
                                                 .group = BERTH_STR_INIT(of_group),          \
                                                 .version = BERTH_STR_INIT("v1"),            \
                                                 .resource = BERTH_STR_INIT(of_resource),    \
                                                 .namespace_ = BERTH_STR_INIT(of_namespace), \
                                                 .label_selector = BERTH_STR_INIT(of_labels)})
__attribute__((unused)) static const berth_host_selective_watches *selective(const berth_host *host) {
    return host->get_service(host, BERTH_STR(BERTH_HOST_SELECTIVE_WATCHES_DRAFT1));
}
__attribute__((unused)) static void select_many(berth_declare_sink *sink) {
    static const char names[] = "abcdefghijklmnopq";
    for (uint64_t i = 0; i < sizeof names - 1; ++i)
        selective(kept_host)->declare(kept_host, sink,
                                      &(berth_watch){.struct_size = sizeof(berth_watch),
                                                     .version = BERTH_STR_INIT("v1"),
                                                     .resource = BERTH_STR_INIT("configmaps"),
                                                     .namespace_ = {&names[i], 1}});
}
__attribute__((unused)) static void set_error(const berth_host *host, berth_status *status, berth_str text) {
    const berth_host_call *call = host->get_service(host, BERTH_STR(BERTH_HOST_CALL_V1));
    call->set_error(host, status, text);
}

static void default_args(const berth_host *host, const berth_create_info *info, const berth_value *in,
                         berth_text_sink *out, berth_error_sink *errors) {
    (void)host, (void)info, (void)in, (void)out, (void)errors;
    ON_DEFAULT_ARGS;
}
static void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status) {
    (void)info, (void)status;
    kept_host = host;
    *self = NULL;
    ON_CREATE;
}
static void declare(void *self, berth_declare_sink *sink, berth_status *status) {
    (void)self, (void)status;
    sinks(kept_host)->declare_watch(kept_host, sink, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("services"));
    ON_DECLARE;
}
static void destroy(void *self) { (void)self; }
static const void *get_interface(berth_str id) {
    (void)id, (void)filter, (void)filter_table, (void)score_table;
    return TABLE;
}

static const berth_str interfaces[] = {INTERFACES};
#ifdef REQUIRED
static const berth_str required[] = {REQUIRED};
#endif
static const berth_plugin plugin = {
    .struct_size = PLUGIN_SIZE,
    .flags = PLUGIN_FLAGS,
    .name = NAME_STR,
    .version = BERTH_STR_INIT("1.0.0"),
    .vendor = BERTH_STR_INIT("tests"),
    .description = BERTH_STR_INIT("says yes"),
    .interface_ids = interfaces,
    .interface_ids_len = sizeof interfaces / sizeof interfaces[0],
#ifdef REQUIRED
    .required_services = required,
    .required_services_len = 1,
#endif
    .default_args = default_args,
    .create = CREATE,
    .declare = declare,
    .destroy = DESTROY,
    .get_interface = GET_INTERFACE,
};
static const berth_plugin *const plugins[] = {PLUGIN_LIST};
static const berth_library library = {
    LIBRARY_SIZE, LIBRARY_FLAGS, REQUIRED_MINOR, HEADER_MINOR, PLUGINS, PLUGIN_COUNT, {"tests", 5}, {"", 0},
};

const berth_library *berth_plugins_abi1(void) {
    (void)create, (void)destroy, (void)get_interface, (void)plugin, (void)plugins, (void)library;
    return ENTRY;
}

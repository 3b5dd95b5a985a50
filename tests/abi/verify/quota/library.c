/* SPDX-License-Identifier: Apache-2.0 */
/* What the library is. */
#define _GNU_SOURCE
#include "quota.h"

#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define IDS                                                                                         \
    BERTH_STR_INIT(BERTH_PLUGIN_QUEUE_SORT_V1), BERTH_STR_INIT(BERTH_PLUGIN_EVENTS_V1),             \
        BERTH_STR_INIT(BERTH_PLUGIN_PRE_FILTER_V1), BERTH_STR_INIT(BERTH_PLUGIN_PRE_FILTER_EXT_V1), \
        BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1), BERTH_STR_INIT(BERTH_PLUGIN_SCORE_V1),              \
        BERTH_STR_INIT(BERTH_PLUGIN_NORMALIZE_V1), BERTH_STR_INIT(BERTH_PLUGIN_RESERVE_V1),         \
        BERTH_STR_INIT(BERTH_PLUGIN_POST_BIND_V1)

static const berth_str interfaces[] = {
#ifdef LATE
    BERTH_STR_INIT(BERTH_PLUGIN_PRE_BIND_V1),
#endif
    IDS};
static const berth_str required[] = {BERTH_STR_INIT(BERTH_HOST_STATE_V1), BERTH_STR_INIT(BERTH_HOST_OBJECT_V1)};
static const berth_str optional[] = {BERTH_STR_INIT(BERTH_HOST_LOG_V1)};
static const berth_plugin plugin = {
#ifdef BUG_older_plugin_struct
    .struct_size = sizeof plugin - 16,
#else
    .struct_size = sizeof plugin,
#endif
#ifdef BUG_unknown_must_understand
    .flags = 0x40000000u,
#endif
    .name = BERTH_STR_INIT("Quota"),
    .version = BERTH_STR_INIT("1.0.0"),
    .interface_ids = interfaces,
    .interface_ids_len = sizeof interfaces / sizeof *interfaces,
    .required_services = required,
    .required_services_len = 2,
    .optional_services = optional,
    .optional_services_len = 1,
    .create = create,
    .destroy = destroy,
    .get_interface = get_interface};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {.struct_size = sizeof library,
#ifdef BUG_minor_of_the_header
                                      .abi_required_minor = BERTH_ABI_MINOR + 1,
#endif
                                      .abi_header_minor = BERTH_ABI_MINOR,
                                      .plugins = plugins,
                                      .plugins_len = 1,
                                      .sdk_name = BERTH_STR_INIT("berth-c/" BERTH_VERSION)};

#ifdef BUG_host_symbol
extern void berth_host_writes(const char *text);
#endif

const berth_library *berth_plugins_abi1(void) {
#ifdef BUG_entry_makes_a_table
    berth_library *made = malloc(sizeof *made);
    if (!made) abort();
    *made = library;
    return made;
#endif
#ifdef BUG_entry_crashes
    return *(const berth_library **)8;
#endif
#ifdef BUG_host_symbol
    berth_host_writes("here");
#endif
    return &library;
}

#ifndef BUG_no_note
BERTH_MANIFEST(
    "{\"abi\": 1, \"requiredMinor\": 0, \"plugins\": [{\"name\": \"Quota\", \"version\": \"1.0.0\", "
#ifdef BUG_note_lies
    "\"interfaces\": [\"berth.filter/1\"], "
#else
    "\"interfaces\": ["
#ifdef LATE
    "\"berth.pre_bind/1\", "
#endif
    "\"berth.queue_sort/1\", \"berth.events/1\", \"berth.pre_filter/1\", "
    "\"berth.pre_filter_ext/1\", \"berth.filter/1\", \"berth.score/1\", \"berth.normalize/1\", "
    "\"berth.reserve/1\", \"berth.post_bind/1\"], "
#endif
    "\"requires\": [\"berth.host.state/1\", \"berth.host.object/1\"], \"optional\": [\"berth.host.log/1\"]}]}");
#endif

#ifdef BUG_exports_more
BERTH_EXPORT void quota_debug(void) {}
#endif

#ifdef BUG_takes_signals
static void on_signal(int number) { _exit(number); }
__attribute__((constructor)) static void begin(void) { signal(SIGSEGV, on_signal); }
#endif
#ifdef BUG_sets_locale
__attribute__((constructor)) static void begin(void) { setlocale(LC_ALL, "C.UTF-8"); }
#endif
#ifdef BUG_thread_when_loaded
static void *for_ever(void *nothing) {
    for (;;) pause();
    return nothing;
}
__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, for_ever, NULL);
}
#endif
#ifdef BUG_sets_environment
__attribute__((constructor)) static void begin(void) { setenv("TZ", "UTC", 1); }
#endif

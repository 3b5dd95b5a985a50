/* SPDX-License-Identifier: Apache-2.0 */
/* Its reads in `events` are refused. Else sound: in a timer it begins three reads, whose memory each callback frees:
 * one that it cancels, one that is answered, one that the end of the instance cancels. Each says what became of it. */
#include <berth/berth.h>
#include <berth/draft/reader.h>

#include <stdio.h>
#include <stdlib.h>

BERTH_MANIFEST(
    "{\"abi\":1,\"requiredMinor\":0,\"plugins\":[{\"name\":\"Reads\",\"version\":\"1.0.0\","
    "\"interfaces\":[\"berth.filter/1\",\"berth.events/1\"],\"reads\":[\"get v1/configmaps\"],"
    "\"requires\":[\"berth.host.log/1\",\"berth.host.reader/draft1\"]}]}");
BERTH_USES_DRAFT(BERTH_HOST_READER_DRAFT1);

typedef struct {
    const berth_host *host;
    const berth_host_reader *reader;
    const berth_host_log *log;
    const berth_host_clock *clock;
} reads;

typedef struct {
    reads *of;
    const char *name;
} waited;

static void came(void *ctx, const berth_answer *answer) {
    waited *it = ctx;
    char line[160];
    const int n = snprintf(line, sizeof line, "%s: %d %d %.*s, %llu members", it->name, (int)answer->code,
                           (int)answer->http_status, (int)answer->text.len, answer->text.ptr,
                           answer->value ? (unsigned long long)answer->value->n.len : 0);
    it->of->log->write(it->of->host, BERTH_LOG_INFO, 0, (berth_str){line, (uint64_t)n});
    free(it);
}

/* The number of the read. */
static uint64_t begin(reads *of, const char *name) {
    const berth_read read = {.struct_size = sizeof read,
                             .verb = BERTH_READ_GET,
                             .version = BERTH_STR("v1"),
                             .resource = BERTH_STR("configmaps"),
                             .namespace_ = BERTH_STR("default"),
                             .name = BERTH_STR("tea")};
    uint64_t id = 0;
    waited *it = malloc(sizeof *it);
    if (!it) abort();
    it->of = of;
    it->name = name;
    if (of->reader->read(of->host, &read, came, it, &id) != BERTH_STATUS_SUCCESS) free(it);
    return id;
}

static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int32_t *code, uint32_t *reasons) {
    (void)self, (void)call, (void)state, (void)pod, (void)nodes, (void)slots, (void)reasons;
    for (uint64_t i = 0; i < n; ++i) code[i] = BERTH_STATUS_SUCCESS;
}
static const berth_plugin_filter filter_table = {sizeof(berth_plugin_filter), 0, filter};

static void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status) {
    reads *made = calloc(1, sizeof *made);
    (void)info, (void)status;
    if (!made) abort();
    made->host = host;
    made->reader = host->get_service(host, BERTH_STR(BERTH_HOST_READER_DRAFT1));
    made->clock = host->get_service(host, BERTH_STR(BERTH_HOST_CLOCK_V1));
    made->log = host->get_service(host, BERTH_STR(BERTH_HOST_LOG_V1));
    *self = made;
}
static void declare(void *self, berth_declare_sink *sink, berth_status *status) {
    const reads *it = self;
    (void)status;
    it->reader->declare(it->host, sink, BERTH_READ_GET, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("configmaps"));
}
static void later(void *ctx, int32_t code) {
    reads *it = ctx;
    if (code != BERTH_STATUS_SUCCESS) return;
    const uint64_t cancelled = begin(it, "cancelled");
    begin(it, "answered");
    begin(it, "not answered");
    if (it->reader->cancel(it->host, cancelled) != BERTH_STATUS_SUCCESS) abort();
    if (it->reader->cancel(it->host, cancelled) != BERTH_STATUS_NOT_FOUND) abort();
}
/* Called when the instance ends: what it begins then is refused. */
static void too_late(void *ctx, int32_t code) {
    if (code != BERTH_STATUS_CANCELLED || begin(ctx, "too late") != 0) abort();
}
static void events(void *self, berth_event_sink *sink, berth_status *status) {
    reads *it = self;
    (void)sink, (void)status;
    if (begin(it, "too early") != 0) abort();
    it->clock->after(it->host, 1, later, it);
    it->clock->after(it->host, 2, too_late, it);
}
static const berth_plugin_events events_table = {sizeof(berth_plugin_events), 0, events, NULL};

static const void *get_interface(berth_str id) {
    return id.len == sizeof(BERTH_PLUGIN_FILTER_V1) - 1 && id.ptr[6] == 'f' ? (const void *)&filter_table
                                                                            : &events_table;
}

static const berth_str interfaces[] = {BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1), BERTH_STR_INIT(BERTH_PLUGIN_EVENTS_V1)};
static const berth_str required[] = {BERTH_STR_INIT(BERTH_HOST_LOG_V1), BERTH_STR_INIT(BERTH_HOST_READER_DRAFT1)};
static const berth_plugin plugin = {
    .struct_size = sizeof(berth_plugin),
    .name = BERTH_STR_INIT("Reads"),
    .version = BERTH_STR_INIT("1.0.0"),
    .interface_ids = interfaces,
    .interface_ids_len = 2,
    .required_services = required,
    .required_services_len = 2,
    .create = create,
    .declare = declare,
    .destroy = free,
    .get_interface = get_interface,
};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {
    .struct_size = sizeof(berth_library), .plugins = plugins, .plugins_len = 1, .sdk_name = BERTH_STR_INIT("tests")};

const berth_library *berth_plugins_abi1(void) { return &library; }

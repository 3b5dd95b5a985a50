/* SPDX-License-Identifier: Apache-2.0 */
/* Sound: waits for timers and an answer, whose memory each callback frees. Each says what became of it. */
#include <berth/berth.h>

#include <stdio.h>
#include <stdlib.h>

BERTH_MANIFEST(
    "{\"abi\":1,\"requiredMinor\":0,\"plugins\":[{\"name\":\"Waits\",\"version\":\"1.0.0\","
    "\"interfaces\":[\"berth.filter/1\"],\"writes\":[\"create v1/events\"],"
    "\"requires\":[\"berth.host.clock/1\",\"berth.host.client/1\",\"berth.host.log/1\"]}]}");

typedef struct {
    const berth_host *host;
    const berth_host_client *client;
    const berth_host_log *log;
    uint64_t cancelled; /* a timer */
} waits;

typedef struct {
    waits *of;
    const char *name;
} waited;

static waited *wait_as(waits *of, const char *name) {
    waited *made = malloc(sizeof *made);
    if (!made) abort();
    made->of = of;
    made->name = name;
    return made;
}
static void came(waited *it, int32_t code, const char *text, int len) {
    char line[160];
    const int n = snprintf(line, sizeof line, "%s: %d%.*s", it->name, (int)code, len, text);
    it->of->log->write(it->of->host, BERTH_LOG_INFO, 0, (berth_str){line, (uint64_t)n});
    free(it);
}
static void answer_came(void *ctx, const berth_answer *answer) {
    came(ctx, answer->code, answer->text.ptr, (int)answer->text.len);
}
static void ask(waits *it) {
    const berth_request request = {.struct_size = sizeof request,
                                   .verb = BERTH_VERB_CREATE,
                                   .version = BERTH_STR("v1"),
                                   .resource = BERTH_STR("events"),
                                   .body = BERTH_STR("{}")};
    waited *answer = wait_as(it, "an answer");
    if (it->client->send(it->host, &request, answer_came, answer) != BERTH_STATUS_SUCCESS) free(answer);
}
static void timer_came(void *ctx, int32_t code) {
    waits *of = ((waited *)ctx)->of;
    came(ctx, code, "", 0);
    if (code == BERTH_STATUS_SUCCESS) ask(of);
}

static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int32_t *code, uint32_t *reasons) {
    (void)self, (void)state, (void)pod, (void)nodes, (void)slots, (void)reasons;
    for (uint64_t i = 0; i < n; ++i) {
        if (i % 64 == 0 && berth_cancelled(call)) return;
        code[i] = BERTH_STATUS_SUCCESS;
    }
}
static const berth_plugin_filter filter_table = {sizeof(berth_plugin_filter), 0, filter};

static void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status) {
    const berth_host_clock *clock = host->get_service(host, BERTH_STR(BERTH_HOST_CLOCK_V1));
    const int64_t hour = INT64_C(3600000000000);
    waits *made = calloc(1, sizeof *made);
    (void)info, (void)status;
    if (!made) abort();
    made->host = host;
    made->client = host->get_service(host, BERTH_STR(BERTH_HOST_CLIENT_V1));
    made->log = host->get_service(host, BERTH_STR(BERTH_HOST_LOG_V1));
    clock->after(host, hour, timer_came, wait_as(made, "an hour"));
    made->cancelled = clock->after(host, hour, timer_came, wait_as(made, "cancelled"));
    clock->after(host, 2 * hour, timer_came, wait_as(made, "two hours"));
    if (clock->cancel(host, made->cancelled) != BERTH_STATUS_SUCCESS) abort();
    *self = made;
}
static void declare(void *self, berth_declare_sink *sink, berth_status *status) {
    const waits *it = self;
    const berth_host_sinks *sinks = it->host->get_service(it->host, BERTH_STR(BERTH_HOST_SINKS_V1));
    (void)status;
    sinks->declare_write(it->host, sink, BERTH_VERB_CREATE, BERTH_STR(""), BERTH_STR("v1"), BERTH_STR("events"));
}

static const void *get_interface(berth_str id) {
    (void)id;
    return &filter_table;
}

static const berth_str interfaces[] = {BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1)};
static const berth_str required[] = {BERTH_STR_INIT(BERTH_HOST_CLOCK_V1), BERTH_STR_INIT(BERTH_HOST_CLIENT_V1),
                                     BERTH_STR_INIT(BERTH_HOST_LOG_V1)};
static const berth_plugin plugin = {
    .struct_size = sizeof(berth_plugin),
    .name = BERTH_STR_INIT("Waits"),
    .version = BERTH_STR_INIT("1.0.0"),
    .interface_ids = interfaces,
    .interface_ids_len = 1,
    .required_services = required,
    .required_services_len = 3,
    .create = create,
    .declare = declare,
    .destroy = free,
    .get_interface = get_interface,
};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {
    .struct_size = sizeof(berth_library), .plugins = plugins, .plugins_len = 1, .sdk_name = BERTH_STR_INIT("tests")};

const berth_library *berth_plugins_abi1(void) { return &library; }

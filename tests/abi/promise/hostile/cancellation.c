/* SPDX-License-Identifier: Apache-2.0 */
/* Sound: a pod is bound three seconds after its PreBind began, but one named "now" at once; a call that is cancelled
 * ends then. Each callback says what became of it, and frees its memory. */
#include <berth/berth.h>
#include <berth/draft/cancellation.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

BERTH_MANIFEST(
    "{\"abi\":1,\"requiredMinor\":0,\"plugins\":[{\"name\":\"Cancellation\",\"version\":\"1.0.0\","
    "\"interfaces\":[\"berth.pre_bind/1\"],\"requires\":[\"berth.host.clock/1\",\"berth.host.log/1\"],"
    "\"optional\":[\"berth.host.cancellation/draft1\"]}]}");

typedef struct {
    const berth_host *host;
    const berth_host_clock *clock;
    const berth_host_log *log;
    const berth_host_call *call;
    const berth_host_cancellation *cancellation; /* a draft: may be NULL */
} instance;

/* One call that has not ended; its two callbacks share it. */
typedef struct {
    instance *of;
    const berth_done *done; /* NULL once the call has ended */
    uint64_t timer;
    int callbacks;
    char pod[16];
} waiting;

static void say(instance *of, const char *pod, const char *what, int32_t code) {
    char line[64];
    const int n = snprintf(line, sizeof line, "%s %s %d", pod, what, (int)code);
    of->log->write(of->host, BERTH_LOG_INFO, 0, (berth_str){line, (uint64_t)n});
}
static void end(waiting *it, int32_t code) {
    const berth_done *done = it->done;
    it->done = NULL;
    if (!done) return;
    done->status->code = code;
    it->of->call->complete(it->of->host, done, done->status);
}
static void called(waiting *it) {
    if (--it->callbacks == 0) free(it);
}
static void on_cancelled(void *ctx, int32_t code) {
    waiting *it = ctx;
    say(it->of, it->pod, "cancellation", code);
    if (code == BERTH_STATUS_SUCCESS) {
        end(it, BERTH_STATUS_CANCELLED);
        it->of->clock->cancel(it->of->host, it->timer);
    }
    called(it);
}
static void on_time(void *ctx, int32_t code) {
    waiting *it = ctx;
    say(it->of, it->pod, "timer", code);
    if (code == BERTH_STATUS_SUCCESS) end(it, BERTH_STATUS_SUCCESS);
    called(it);
}

static void pre_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node,
                     berth_status *status, const berth_done *done) {
    instance *of = self;
    (void)state, (void)node;
    const int64_t second = INT64_C(1000000000);
    waiting *it = calloc(1, sizeof *it);
    if (!it) abort();
    it->of = of;
    it->done = done;
    it->callbacks = 2;
    memcpy(it->pod, pod->name.ptr, pod->name.len < sizeof it->pod ? pod->name.len : sizeof it->pod - 1);
    if (!of->cancellation || of->cancellation->after(of->host, call, on_cancelled, it) != BERTH_STATUS_SUCCESS)
        --it->callbacks;
    it->timer = of->clock->after(of->host, 3 * second, on_time, it);
    if (it->timer == 0) abort();
    if (strcmp(it->pod, "now") != 0) status->code = BERTH_STATUS_IN_PROGRESS;
    else it->done = NULL;
}
static const berth_plugin_pre_bind pre_bind_table = {sizeof(berth_plugin_pre_bind), 0, NULL, pre_bind};

static void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status) {
    instance *made = calloc(1, sizeof *made);
    (void)info, (void)status;
    if (!made) abort();
    made->host = host;
    made->call = host->get_service(host, BERTH_STR(BERTH_HOST_CALL_V1));
    made->clock = host->get_service(host, BERTH_STR(BERTH_HOST_CLOCK_V1));
    made->log = host->get_service(host, BERTH_STR(BERTH_HOST_LOG_V1));
    made->cancellation = host->get_service(host, BERTH_STR(BERTH_HOST_CANCELLATION_DRAFT1));
    if (made->cancellation && !BERTH_HAS(made->cancellation, after)) made->cancellation = NULL;
    *self = made;
}

static const void *get_interface(berth_str id) {
    (void)id; /* there is but one */
    return &pre_bind_table;
}

static const berth_str interfaces[] = {BERTH_STR_INIT(BERTH_PLUGIN_PRE_BIND_V1)};
static const berth_str required[] = {BERTH_STR_INIT(BERTH_HOST_CLOCK_V1), BERTH_STR_INIT(BERTH_HOST_LOG_V1)};
static const berth_str optional[] = {BERTH_STR_INIT(BERTH_HOST_CANCELLATION_DRAFT1)};
static const berth_plugin plugin = {
    .struct_size = sizeof(berth_plugin),
    .name = BERTH_STR_INIT("Cancellation"),
    .version = BERTH_STR_INIT("1.0.0"),
    .interface_ids = interfaces,
    .interface_ids_len = 1,
    .required_services = required,
    .required_services_len = 2,
    .optional_services = optional,
    .optional_services_len = 1,
    .create = create,
    .destroy = free,
    .get_interface = get_interface,
};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {
    .struct_size = sizeof(berth_library), .plugins = plugins, .plugins_len = 1, .sdk_name = BERTH_STR_INIT("tests")};

const berth_library *berth_plugins_abi1(void) { return &library; }

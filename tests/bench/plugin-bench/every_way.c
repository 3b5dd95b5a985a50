/* SPDX-License-Identifier: Apache-2.0 */
/* A Filter that allocates in seven ways for each node, 200 bytes in all. */
#define _GNU_SOURCE
#include <berth/berth.h>

#include <stdlib.h>
#include <string.h>

static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int32_t *code, uint32_t *reasons) {
    (void)self, (void)state, (void)pod, (void)nodes, (void)slots, (void)reasons;
    for (uint64_t i = 0; i < n; ++i) {
        if (i % 64 == 63 && berth_cancelled(call)) return;
        void *volatile made = malloc(10);
        free(made);
        made = calloc(2, 5);
        made = realloc(made, 20);
        made = reallocarray(made, 3, 10);
        free(made);
        made = aligned_alloc(64, 64);
        free(made);
        void *aligned = NULL;
        code[i] = posix_memalign(&aligned, 64, 64) == 0 ? BERTH_STATUS_SUCCESS : BERTH_STATUS_ERROR;
        free(aligned);
        made = strdup("x");
        free(made);
    }
}

static void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status) {
    (void)host, (void)info, (void)status, (void)self;
}
static void destroy(void *self) { (void)self; }
static const void *get_interface(berth_str id) {
    static const berth_plugin_filter table = {.struct_size = sizeof table, .filter = filter};
    (void)id;
    return &table;
}

static const berth_str interfaces[] = {BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1)};
static const berth_plugin plugin = {.struct_size = sizeof plugin,
                                    .name = BERTH_STR_INIT("EveryWay"),
                                    .version = BERTH_STR_INIT("1.0.0"),
                                    .interface_ids = interfaces,
                                    .interface_ids_len = 1,
                                    .create = create,
                                    .destroy = destroy,
                                    .get_interface = get_interface};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {.struct_size = sizeof library,
                                      .abi_header_minor = BERTH_ABI_MINOR,
                                      .plugins = plugins,
                                      .plugins_len = 1,
                                      .sdk_name = BERTH_STR_INIT("berth-c/" BERTH_VERSION)};

const berth_library *berth_plugins_abi1(void) { return &library; }

BERTH_MANIFEST(
    "{\"abi\": 1, \"requiredMinor\": 0, \"plugins\": [{\"name\": \"EveryWay\", \"version\": \"1.0.0\", "
    "\"interfaces\": [\"berth.filter/1\"]}]}");

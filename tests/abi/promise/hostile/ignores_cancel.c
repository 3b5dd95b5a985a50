/* SPDX-License-Identifier: Apache-2.0 */
/* A Filter that does not look at the cancel flag: it judges every slot although nobody wants the answer. */
#include <berth/berth.h>

BERTH_MANIFEST(
    "{\"abi\":1,\"requiredMinor\":0,\"plugins\":[{\"name\":\"IgnoresCancel\",\"version\":\"1.0.0\","
    "\"interfaces\":[\"berth.filter/1\"]}]}");

static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int32_t *code, uint32_t *reasons) {
    (void)self, (void)call, (void)state, (void)pod, (void)nodes, (void)slots, (void)reasons;
    for (uint64_t i = 0; i < n; ++i) code[i] = BERTH_STATUS_SUCCESS;
}
static const berth_plugin_filter filter_table = {sizeof(berth_plugin_filter), 0, filter};

static void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status) {
    (void)host, (void)info, (void)status;
    *self = NULL;
}
static void destroy(void *self) { (void)self; }
static const void *get_interface(berth_str id) {
    (void)id;
    return &filter_table;
}

static const berth_str interfaces[] = {BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1)};
static const berth_plugin plugin = {
    .struct_size = sizeof(berth_plugin),
    .name = BERTH_STR_INIT("IgnoresCancel"),
    .version = BERTH_STR_INIT("1.0.0"),
    .interface_ids = interfaces,
    .interface_ids_len = 1,
    .create = create,
    .destroy = destroy,
    .get_interface = get_interface,
};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {
    .struct_size = sizeof(berth_library), .plugins = plugins, .plugins_len = 1, .sdk_name = BERTH_STR_INIT("tests")};

const berth_library *berth_plugins_abi1(void) { return &library; }

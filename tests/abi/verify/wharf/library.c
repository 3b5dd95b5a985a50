/* SPDX-License-Identifier: Apache-2.0 */
/* What the library is. */
#include "wharf.h"

static const struct {
    berth_str id;
    const void *table;
} tables[] = {{BERTH_STR_INIT(BERTH_PLUGIN_PRE_ENQUEUE_V1), &pre_enqueue_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_EVENTS_V1), &events_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_PRE_FILTER_V1), &pre_filter_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_PRE_FILTER_EXT_V1), &pre_filter_ext_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1), &filter_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_PRE_SCORE_V1), &pre_score_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_SCORE_V1), &score_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_NORMALIZE_V1), &normalize_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_RESERVE_V1), &reserve_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_PERMIT_V1), &permit_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_PRE_BIND_V1), &pre_bind_table},
              {BERTH_STR_INIT(BERTH_PLUGIN_POST_BIND_V1), &post_bind_table}};
enum { points = sizeof tables / sizeof *tables };

static const void *get_interface(berth_str id) {
    for (int i = 0; i < points; ++i)
        if (same(tables[i].id, id)) return tables[i].table;
    return NULL;
}

static const berth_str interfaces[points] = {
    BERTH_STR_INIT(BERTH_PLUGIN_PRE_ENQUEUE_V1), BERTH_STR_INIT(BERTH_PLUGIN_EVENTS_V1),
    BERTH_STR_INIT(BERTH_PLUGIN_PRE_FILTER_V1),  BERTH_STR_INIT(BERTH_PLUGIN_PRE_FILTER_EXT_V1),
    BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1),      BERTH_STR_INIT(BERTH_PLUGIN_PRE_SCORE_V1),
    BERTH_STR_INIT(BERTH_PLUGIN_SCORE_V1),       BERTH_STR_INIT(BERTH_PLUGIN_NORMALIZE_V1),
    BERTH_STR_INIT(BERTH_PLUGIN_RESERVE_V1),     BERTH_STR_INIT(BERTH_PLUGIN_PERMIT_V1),
    BERTH_STR_INIT(BERTH_PLUGIN_PRE_BIND_V1),    BERTH_STR_INIT(BERTH_PLUGIN_POST_BIND_V1)};
static const berth_str required[] = {BERTH_STR_INIT(BERTH_HOST_STATE_V1),   BERTH_STR_INIT(BERTH_HOST_OBJECT_V1),
                                     BERTH_STR_INIT(BERTH_HOST_COLUMNS_V1), BERTH_STR_INIT(BERTH_HOST_CLUSTER_V1),
                                     BERTH_STR_INIT(BERTH_HOST_DELTA_V1),   BERTH_STR_INIT(BERTH_HOST_CLOCK_V1),
                                     BERTH_STR_INIT(BERTH_HOST_TASK_V1),    BERTH_STR_INIT(BERTH_HOST_WAITING_PODS_V1)};
static const berth_str optional[] = {BERTH_STR_INIT(BERTH_HOST_LOG_V1), BERTH_STR_INIT(BERTH_HOST_READER_DRAFT1)};
static const berth_plugin plugin = {.struct_size = sizeof plugin,
                                    .name = BERTH_STR_INIT("Wharf"),
                                    .version = BERTH_STR_INIT("1.0.0"),
                                    .interface_ids = interfaces,
                                    .interface_ids_len = points,
                                    .required_services = required,
                                    .required_services_len = sizeof required / sizeof *required,
                                    .optional_services = optional,
                                    .optional_services_len = 2,
                                    .create = create,
                                    .declare = declare,
                                    .destroy = destroy,
                                    .get_interface = get_interface};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {.struct_size = sizeof library,
                                      .abi_header_minor = BERTH_ABI_MINOR,
                                      .plugins = plugins,
                                      .plugins_len = 1,
                                      .sdk_name = BERTH_STR_INIT("berth-c/" BERTH_VERSION)};

const berth_library *berth_plugins_abi1(void) { return &library; }

BERTH_USES_DRAFT(BERTH_HOST_READER_DRAFT1);
BERTH_MANIFEST(
    "{\"abi\": 1, \"requiredMinor\": 0, \"plugins\": [{\"name\": \"Wharf\", \"version\": \"1.0.0\", "
    "\"interfaces\": [\"berth.pre_enqueue/1\", \"berth.events/1\", \"berth.pre_filter/1\", "
    "\"berth.pre_filter_ext/1\", \"berth.filter/1\", \"berth.pre_score/1\", \"berth.score/1\", "
    "\"berth.normalize/1\", \"berth.reserve/1\", \"berth.permit/1\", \"berth.pre_bind/1\", \"berth.post_bind/1\"], "
    "\"requires\": [\"berth.host.state/1\", \"berth.host.object/1\", \"berth.host.columns/1\", "
    "\"berth.host.cluster/1\", \"berth.host.delta/1\", \"berth.host.clock/1\", \"berth.host.task/1\", "
    "\"berth.host.waiting_pods/1\"], "
    "\"optional\": [\"berth.host.log/1\", \"berth.host.reader/draft1\"], "
    "\"watches\": [\"example.com/v1/allowances\"], "
    "\"reads\": [\"get v1/configmaps\", \"list example.com/v1/allowances\"]}]}");

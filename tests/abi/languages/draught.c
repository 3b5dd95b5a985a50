/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of draught.cpp in C11. */
#include <berth/berth.h>
#include <berth/draft/log_fields.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const berth_host *host;
    const berth_host_call *call;
    const berth_host_nodes *nodes;
    const berth_host_state *state;
    uint32_t need, depth;
    int64_t spare;
} draught;

static int equal(berth_str a, berth_str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* False if the text is no number. */
static int number_of(berth_str text, int64_t *n) {
    char copy[32], *end;
    if (text.len == 0 || text.len >= sizeof copy) return 0;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *n = strtoll(copy, &end, 10);
    return *end == '\0';
}

static void say_not_a_number(const draught *d, berth_status *status, berth_str text) {
    char said[96];
    int n = snprintf(said, sizeof said, "draught: not a number: %.*s", (int)text.len, text.ptr);
    status->code = BERTH_STATUS_ERROR;
    d->call->set_error(d->host, status, (berth_str){said, (uint64_t)n});
}

static void *copy_need(const berth_plugin_state_type *type, const void *data) {
    int64_t *made = malloc(sizeof *made);
    (void)type;
    if (made) memcpy(made, data, sizeof *made);
    return made;
}
static void free_need(const berth_plugin_state_type *type, void *data) {
    (void)type;
    free(data);
}
static const berth_plugin_state_type need_type = {
    .struct_size = sizeof need_type, .clone = copy_need, .destroy = free_need};

static void pre_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_nodes *nodes, berth_restrict *restrict_, berth_status *status) {
    const draught *d = self;
    int64_t *need = malloc(sizeof *need);
    (void)call, (void)nodes, (void)restrict_;
    if (!need) {
        status->code = BERTH_STATUS_NO_MEMORY;
        return;
    }
    *need = 0;
    for (uint64_t i = 0; i < pod->labels_len; ++i) {
        if (!equal(pod->labels[i].key, BERTH_STR("draught")) || number_of(pod->labels[i].value, need)) continue;
        say_not_a_number(d, status, pod->labels[i].value);
        free(need);
        return;
    }
    *need += d->spare;
    if (d->state->put(d->host, state, d->need, need, &need_type) == BERTH_STATUS_SUCCESS) return;
    status->code = BERTH_STATUS_ERROR;
    free(need);
}

/* The depth of a slot; 0 without the label, -1 if it is no number. */
static int64_t depth_of(const berth_column *depths, uint32_t slot) {
    int64_t n;
    if (!berth_valid(depths, slot)) return 0;
    return number_of(((const berth_str *)depths->dict)[((const uint32_t *)depths->data)[slot]], &n) ? n : -1;
}

static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int32_t *code, uint32_t *reasons) {
    const draught *d = self;
    const int64_t need = *(const int64_t *)d->state->get(d->host, state, d->need);
    const berth_str shallow = BERTH_STR("node(s) were too shallow");
    berth_column depths = {.struct_size = sizeof depths};
    (void)pod;
    d->nodes->column(d->host, nodes, d->depth, &depths);
    for (uint64_t i = 0; i < n; ++i) {
        if (i % 64 == 63 && berth_cancelled(call)) return;
        code[i] = depth_of(&depths, slots[i]) < need ? BERTH_STATUS_UNSCHEDULABLE : BERTH_STATUS_SUCCESS;
        if (code[i] != BERTH_STATUS_SUCCESS) reasons[i] = d->call->intern_reasons(d->host, call, &shallow, 1);
    }
}

static void score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                  const berth_nodes *nodes, const uint32_t *slots, uint64_t n, int64_t *out, berth_status *status) {
    const draught *d = self;
    const int64_t need = *(const int64_t *)d->state->get(d->host, state, d->need);
    berth_column depths = {.struct_size = sizeof depths};
    (void)call, (void)pod, (void)status;
    d->nodes->column(d->host, nodes, d->depth, &depths);
    for (uint64_t i = 0; i < n; ++i) {
        const int64_t s = 100 - (depth_of(&depths, slots[i]) - need);
        out[i] = s < 0 ? 0 : s > 100 ? 100 : s;
    }
}

BERTH_USES_DRAFT(BERTH_HOST_LOG_FIELDS_DRAFT1);

static void say_spare(const draught *d) {
    const berth_host_log_fields *log = d->host->get_service(d->host, BERTH_STR(BERTH_HOST_LOG_FIELDS_DRAFT1));
    berth_kv depth = {.key = BERTH_STR_INIT("depth"), .value = {.kind = BERTH_VALUE_INT, .n.integer = d->spare}};
    if (log) log->write(d->host, BERTH_LOG_INFO, 4, BERTH_STR("Keeps a spare"), &depth, 1);
}

static void create(const berth_host *host, const berth_create_info *info, void **self, berth_status *status) {
    const berth_kv *args = info->args_value->ptr.members;
    const berth_host_columns *columns = host->get_service(host, BERTH_STR(BERTH_HOST_COLUMNS_V1));
    draught *made = calloc(1, sizeof *made);
    if (!made) {
        status->code = BERTH_STATUS_NO_MEMORY;
        return;
    }
    made->host = host;
    made->call = host->get_service(host, BERTH_STR(BERTH_HOST_CALL_V1));
    made->nodes = host->get_service(host, BERTH_STR(BERTH_HOST_NODES_V1));
    made->state = host->get_service(host, BERTH_STR(BERTH_HOST_STATE_V1));
    made->need = made->state->key(host, BERTH_STR("Draught/c/need"));
    made->depth = columns->declare(host, BERTH_COLUMN_NODE_LABEL, BERTH_STR("depth"));
    for (uint64_t i = 0; i < info->args_value->n.len; ++i)
        if (equal(args[i].key, BERTH_STR("spare"))) made->spare = args[i].value.n.integer;
    say_spare(made);
    *self = made;
}

static const void *get_interface(berth_str id) {
    static const berth_plugin_pre_filter at_pre_filter = {.struct_size = sizeof at_pre_filter,
                                                          .pre_filter = pre_filter};
    static const berth_plugin_filter at_filter = {.struct_size = sizeof at_filter, .filter = filter};
    static const berth_plugin_score at_score = {.struct_size = sizeof at_score, .score = score};
    if (equal(id, BERTH_STR(BERTH_PLUGIN_PRE_FILTER_V1))) return &at_pre_filter;
    if (equal(id, BERTH_STR(BERTH_PLUGIN_FILTER_V1))) return &at_filter;
    return equal(id, BERTH_STR(BERTH_PLUGIN_SCORE_V1)) ? &at_score : NULL;
}

static const berth_str interfaces[] = {BERTH_STR_INIT(BERTH_PLUGIN_PRE_FILTER_V1),
                                       BERTH_STR_INIT(BERTH_PLUGIN_FILTER_V1), BERTH_STR_INIT(BERTH_PLUGIN_SCORE_V1)};
static const berth_str services[] = {BERTH_STR_INIT(BERTH_HOST_STATE_V1), BERTH_STR_INIT(BERTH_HOST_COLUMNS_V1)};
static const berth_str drafts[] = {BERTH_STR_INIT(BERTH_HOST_LOG_FIELDS_DRAFT1)};
static const berth_plugin plugin = {.struct_size = sizeof plugin,
                                    .name = BERTH_STR_INIT("Draught"),
                                    .version = BERTH_STR_INIT("1.0.0"),
                                    .interface_ids = interfaces,
                                    .interface_ids_len = 3,
                                    .required_services = services,
                                    .required_services_len = 2,
                                    .optional_services = drafts,
                                    .optional_services_len = 1,
                                    .create = create,
                                    .destroy = free,
                                    .get_interface = get_interface};
static const berth_plugin *const plugins[] = {&plugin};
static const berth_library library = {.struct_size = sizeof library,
                                      .abi_header_minor = BERTH_ABI_MINOR,
                                      .plugins = plugins,
                                      .plugins_len = 1,
                                      .sdk_name = BERTH_STR_INIT("berth-c/" BERTH_VERSION)};

const berth_library *berth_plugins_abi1(void) { return &library; }

BERTH_MANIFEST(
    "{\"abi\": 1, \"requiredMinor\": 0, \"plugins\": [{\"name\": \"Draught\", \"version\": \"1.0.0\", "
    "\"interfaces\": [\"berth.pre_filter/1\", \"berth.filter/1\", \"berth.score/1\"], "
    "\"requires\": [\"berth.host.state/1\", \"berth.host.columns/1\"], "
    "\"optional\": [\"berth.host.log_fields/draft1\"]}]}");

// SPDX-License-Identifier: Apache-2.0
// One library per case that only the strict layer can catch: case_name says what it does. Written against the C
// headers, because the C++ wrapper would not let most of it happen.
#include "case_name.h"

#include <berth/berth.h>

#include <cstring>
#include <string>
#include <string_view>
#include <thread>

namespace {

/// The instance; and what it keeps although it may not.
struct Self {
    const berth_host *host;
    const berth_host_call *given;
    const berth_host_nodes *look_ups;
    const berth_host_sinks *sinks;
    const berth_host_object *objects;
    const berth_host_state *state;
    const berth_host_columns *columns;
    const berth_host_delta *delta;
    const berth_host_random *random;
    const berth_host_client *client;
    const berth_host_clock *clock;
    const berth_host_cluster *cluster;
    std::uint32_t services, undeclared;
    std::uint32_t key, tea;
    std::uint32_t passing = 0;
    const berth_call *call = nullptr;
    const berth_pod *pod = nullptr;
    const berth_nodes *nodes = nullptr;
    const berth_object *object = nullptr;
    berth_state *cycle_state = nullptr;
    const berth_done *done = nullptr;
    berth_str text{};
    int calls = 0, undone = 0;
};
Self &of(void *self) { return *static_cast<Self *>(self); }

const berth_plugin_state_type state_type{sizeof(berth_plugin_state_type), 0, nullptr, nullptr};
char datum;

void late_declare(void *self, std::int32_t code) {
    if (code == BERTH_STATUS_SUCCESS)
        of(self).columns->declare(of(self).host, BERTH_COLUMN_NODE_LABEL, BERTH_STR("tea"));
}

/// Called at every Filter call, before the verdicts.
void misuse_in_filter(Self &me, const berth_call *call, berth_state *state, const berth_pod *pod,
                      const berth_nodes *nodes) {
    bool first = me.calls++ == 0;
    if (first) me.call = call, me.pod = pod, me.nodes = nodes, me.cycle_state = state, me.object = pod->obj;
    if (first) me.text = pod->name;
    if (is("declare_in_filter")) me.columns->declare(me.host, BERTH_COLUMN_NODE_LABEL, BERTH_STR("tea"));
    if (is("changes_in_filter")) {
        berth_plugin_changes nobody{};
        me.delta->changes(me.host, nodes, 0, &nobody, nullptr);
    }
    if (is("put_in_filter")) me.state->put(me.host, state, me.key, &datum, &state_type);
    if (is("key_in_filter")) me.state->key(me.host, BERTH_STR("Tea/late"));
    if (is("unknown_key")) me.state->get(me.host, state, 4711);
    if (is("other_thread"))
        std::thread([&] { me.columns->declare(me.host, BERTH_COLUMN_NODE_LABEL, BERTH_STR("tea")); }).join();
    if (is("reasons_on_other_thread")) {
        berth_str text = BERTH_STR("no");
        std::thread([&] { me.given->intern_reasons(me.host, call, &text, 1); }).join();
    }
    if (is("sends_on_other_thread")) {
        berth_request request{};
        std::thread([&] { me.client->send(me.host, &request, [](void *, const berth_answer *) {}, nullptr); }).join();
    }
    if (is("scratch_overrun")) std::memset(me.given->scratch(me.host, call, 8, 8), 1, 9);
    if (is("scratch_align")) me.given->scratch(me.host, call, 8, 3);
    if (is("scratch_too_much") && me.given->scratch(me.host, call, UINT64_MAX - 7, 8)) throw "so much memory?";
    if (is("releases_unretained")) me.objects->release(me.host, pod->obj);
    if (is("declare_in_timer") && first) me.clock->after(me.host, 1, late_declare, &me);
    if (is("leaks_object") && first) me.objects->retain(me.host, pod->obj);
    if (is("leaks_object") && first) me.objects->retain(me.host, nodes->obj[nodes->order[0]]);
    auto ignore = [](void *, const berth_object *, const berth_object *) {};
    if (is("kind_in_filter")) me.cluster->kind(me.host, {}, BERTH_STR("v1"), BERTH_STR("services"));
    if (is("subscribe_in_filter")) me.cluster->subscribe(me.host, me.services, ignore, nullptr);
    if (is("gets_undeclared")) me.cluster->get(me.host, me.undeclared, {}, BERTH_STR("tea"));
    if (is("stale_found") && first)
        me.object = me.cluster->get(me.host, me.services, BERTH_STR("default"), BERTH_STR("tea"));
    if (is("stale_found")) me.objects->get(me.host, me.object, BERTH_STR("/metadata"));
    if (first) return;
    if (is("stale_call")) {
        berth_str text = BERTH_STR("no");
        me.given->intern_reasons(me.host, me.call, &text, 1);
    }
    if (is("stale_scratch") && me.given->scratch(me.host, me.call, UINT64_MAX - 7, 8)) throw "so much memory?";
    if (is("stale_random")) me.random->value(me.host, me.call, 0, 0);
    if (is("stale_state")) me.state->get(me.host, me.cycle_state, me.key);
    if (is("stale_column")) {
        berth_column out{};
        out.struct_size = sizeof out;
        for (auto column : {me.tea, me.passing}) me.look_ups->column(me.host, nodes, column, &out);
    }
    if (is("stale_nodes")) me.look_ups->find(me.host, me.nodes, BERTH_STR("n1"));
    if (is("stale_text") || is("stale_pod")) {
        berth_str text = is("stale_text") ? me.text : me.pod->name;
        me.given->intern_reasons(me.host, call, &text, 1);
    }
    if (is("stale_object")) {
        const berth_object *poisoned = me.pod->obj;
        me.objects->get(me.host, poisoned, BERTH_STR("/metadata"));
    }
}

void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, const berth_nodes *nodes,
            const std::uint32_t *slots, std::uint64_t n, std::int32_t *code, std::uint32_t *reasons) {
    misuse_in_filter(of(self), call, state, pod, nodes);
    for (std::uint64_t i = 0; i < n; ++i) code[i] = is("hint_9") ? BERTH_STATUS_UNSCHEDULABLE : BERTH_STATUS_SUCCESS;
    if (is("code_overrun")) code[n] = BERTH_STATUS_SUCCESS;
    if (is("code_underrun")) code[-1] = BERTH_STATUS_SUCCESS;
    if (is("reasons_overrun")) reasons[n] = 0;
    if (is("writes_slots")) const_cast<std::uint32_t *>(slots)[0] += 1;
    if (is("filter_batch") && n > 1) code[0] = BERTH_STATUS_UNSCHEDULABLE;
    if (is("filter_reasons_batch")) {
        auto text = std::to_string(n);
        berth_str one{text.data(), text.size()};
        for (std::uint64_t i = 0; i < n; ++i) {
            code[i] = BERTH_STATUS_UNSCHEDULABLE;
            reasons[i] = of(self).given->intern_reasons(of(self).host, call, &one, 1);
        }
    }
}

void score(void *, const berth_call *, berth_state *, const berth_pod *, const berth_nodes *, const std::uint32_t *,
           std::uint64_t n, std::int64_t *out, berth_status *status) {
    for (std::uint64_t i = 0; i < n; ++i) out[i] = is("score_batch") ? static_cast<std::int64_t>(i) : 7;
    if (is("score_overrun")) out[n] = 7;
    if (is("score_range")) out[0] = 101;
    if (is("score_part") && n == 1) status->code = BERTH_STATUS_UNSCHEDULABLE;
}

void normalize(void *, const berth_call *, berth_state *, const berth_pod *, const berth_nodes *, const std::uint32_t *,
               std::uint64_t n, std::int64_t *inout, berth_status *) {
    if (is("normalize_overrun")) inout[n] = 7;
}

void pre_filter(void *self, const berth_call *, berth_state *, const berth_pod *, const berth_nodes *nodes,
                berth_restrict *to, berth_status *status) {
    Self &me = of(self);
    if (is("stale_column") && me.passing == 0)
        me.passing = me.columns->declare(me.host, BERTH_COLUMN_POD_LABEL, BERTH_STR("tea"));
    if (!is("skip_and_narrow")) return;
    me.given->restrict_slots(me.host, to, nodes->order, 1);
    status->code = BERTH_STATUS_SKIP;
}

void reserve(void *, const berth_call *, berth_state *, const berth_pod *, const berth_nodes *, std::uint32_t,
             berth_str, berth_status *status) {
    if (is("unreserve_once")) status->code = BERTH_STATUS_UNSCHEDULABLE;
}
void unreserve(void *self, const berth_call *, berth_state *, const berth_pod *, berth_str) {
    if (is("unreserve_once") && of(self).undone++ > 0) throw "no tea left";
}

std::int32_t less(void *, const berth_pod *a, const berth_pod *b) {
    if (is("less_both")) return 1;
    return a->name.len < b->name.len;
}
std::uint64_t sort_key(void *, const berth_pod *pod, std::uint8_t *key, std::uint64_t size) {
    std::uint64_t length = pod->name.len;
    key[0] = static_cast<std::uint8_t>(is("key_against_less") ? 255 - length : length);
    if (is("key_overrun")) key[size] = 0;
    return 1;
}

void bind(void *self, const berth_call *, berth_state *, const berth_pod *, berth_str, berth_status *status,
          const berth_done *done) {
    if (is("done_twice") || is("done_never")) status->code = BERTH_STATUS_IN_PROGRESS;
    const Self &me = of(self);
    if (is("done_and_answer") || is("done_twice")) me.given->complete(me.host, done, done->status);
    if (is("done_twice")) me.given->complete(me.host, done, done->status);
    if (is("done_late")) of(self).done = done;
}
void post_bind(void *self, const berth_call *, berth_state *, const berth_pod *, berth_str) {
    const Self &me = of(self);
    if (me.done) me.given->complete(me.host, me.done, me.done->status);
}

void hint(void *, const berth_call *, const berth_event *, const berth_pod *const *, std::uint64_t n,
          std::uint8_t *out) {
    for (std::uint64_t i = 0; i < n; ++i) out[i] = 9;
}
void events(void *self, berth_event_sink *sink, berth_status *) {
    of(self).sinks->add_event(of(self).host, sink, BERTH_STR("Node"), BERTH_EVENT_ADD, 1);
}

constexpr berth_plugin_filter filter_table{sizeof(berth_plugin_filter), 0, filter};
constexpr berth_plugin_score score_table{sizeof(berth_plugin_score), 0, score};
constexpr berth_plugin_normalize normalize_table{sizeof(berth_plugin_normalize), 0, BERTH_NORMALIZE_CUSTOM, 0,
                                                 normalize};
constexpr berth_plugin_pre_filter pre_filter_table{sizeof(berth_plugin_pre_filter), 0, pre_filter};
constexpr berth_plugin_reserve reserve_table{sizeof(berth_plugin_reserve), 0, reserve, unreserve};
const berth_plugin_queue_sort queue_sort_table{sizeof(berth_plugin_queue_sort), 0, less,
                                               is("less_both") ? nullptr : sort_key};
constexpr berth_plugin_bind bind_table{sizeof(berth_plugin_bind), 0, bind};
constexpr berth_plugin_post_bind post_bind_table{sizeof(berth_plugin_post_bind), 0, post_bind};
constexpr berth_plugin_events events_table{sizeof(berth_plugin_events), 0, events, hint};

struct Offered {
    berth_str id;
    const void *table;
};
// What a case does not need is not offered, so that the others do not meet it.
#if defined(HOSTILE_SORTS)
constexpr Offered offered[] = {{BERTH_STR(BERTH_PLUGIN_QUEUE_SORT_V1), &queue_sort_table}};
#define INTERFACES R"("berth.queue_sort/1")"
#elif defined(HOSTILE_BINDS)
constexpr Offered offered[] = {{BERTH_STR(BERTH_PLUGIN_BIND_V1), &bind_table},
                               {BERTH_STR(BERTH_PLUGIN_POST_BIND_V1), &post_bind_table}};
#define INTERFACES R"("berth.bind/1","berth.post_bind/1")"
#elif defined(HOSTILE_NORMALIZES)
constexpr Offered offered[] = {{BERTH_STR(BERTH_PLUGIN_SCORE_V1), &score_table},
                               {BERTH_STR(BERTH_PLUGIN_NORMALIZE_V1), &normalize_table}};
#define INTERFACES R"("berth.score/1","berth.normalize/1")"
#else
constexpr Offered offered[] = {{BERTH_STR(BERTH_PLUGIN_PRE_FILTER_V1), &pre_filter_table},
                               {BERTH_STR(BERTH_PLUGIN_FILTER_V1), &filter_table},
                               {BERTH_STR(BERTH_PLUGIN_SCORE_V1), &score_table},
                               {BERTH_STR(BERTH_PLUGIN_RESERVE_V1), &reserve_table},
                               {BERTH_STR(BERTH_PLUGIN_EVENTS_V1), &events_table}};
#define INTERFACES R"("berth.pre_filter/1","berth.filter/1","berth.score/1","berth.reserve/1","berth.events/1")"
#endif
constexpr std::size_t offered_count = sizeof offered / sizeof offered[0];

template <class T>
const T *service(const berth_host *host, berth_str id) {
    return static_cast<const T *>(host->get_service(host, id));
}

void create(const berth_host *host, const berth_create_info *, void **self, berth_status *) {
    auto *state = service<berth_host_state>(host, BERTH_STR(BERTH_HOST_STATE_V1));
    auto *cluster = service<berth_host_cluster>(host, BERTH_STR(BERTH_HOST_CLUSTER_V1));
    auto *columns = service<berth_host_columns>(host, BERTH_STR(BERTH_HOST_COLUMNS_V1));
    *self = new Self{.host = host,
                     .given = service<berth_host_call>(host, BERTH_STR(BERTH_HOST_CALL_V1)),
                     .look_ups = service<berth_host_nodes>(host, BERTH_STR(BERTH_HOST_NODES_V1)),
                     .sinks = service<berth_host_sinks>(host, BERTH_STR(BERTH_HOST_SINKS_V1)),
                     .objects = service<berth_host_object>(host, BERTH_STR(BERTH_HOST_OBJECT_V1)),
                     .state = state,
                     .columns = columns,
                     .delta = service<berth_host_delta>(host, BERTH_STR(BERTH_HOST_DELTA_V1)),
                     .random = service<berth_host_random>(host, BERTH_STR(BERTH_HOST_RANDOM_V1)),
                     .client = service<berth_host_client>(host, BERTH_STR(BERTH_HOST_CLIENT_V1)),
                     .clock = service<berth_host_clock>(host, BERTH_STR(BERTH_HOST_CLOCK_V1)),
                     .cluster = cluster,
                     .services = cluster->kind(host, {}, BERTH_STR("v1"), BERTH_STR("services")),
                     .undeclared = 4711,
                     .key = state->key(host, BERTH_STR("Tea")),
                     .tea = columns->declare(host, BERTH_COLUMN_NODE_LABEL, BERTH_STR("tea"))};
}
void declare(void *self, berth_declare_sink *sink, berth_status *) {
    of(self).sinks->declare_watch(of(self).host, sink, {}, BERTH_STR("v1"), BERTH_STR("services"));
}
void destroy(void *self) { delete static_cast<Self *>(self); }
const void *get_interface(berth_str id) {
    for (const auto &one : offered)
        if (std::string_view(one.id.ptr, one.id.len) == std::string_view(id.ptr, id.len)) return one.table;
    return nullptr;
}

berth_plugin make_plugin() {
    static berth_str ids[offered_count];
    for (std::size_t i = 0; i < offered_count; ++i) ids[i] = offered[i].id;
    berth_plugin plugin{};
    plugin.struct_size = sizeof plugin;
    plugin.name = BERTH_STR("Strict");
    plugin.version = BERTH_STR("1.0.0");
    plugin.interface_ids = ids;
    plugin.interface_ids_len = offered_count;
    plugin.create = create;
    plugin.declare = declare;
    plugin.destroy = destroy;
    plugin.get_interface = get_interface;
    return plugin;
}

}  // namespace

BERTH_MANIFEST(R"({"abi":1,"requiredMinor":0,"plugins":[{"name":"Strict","version":"1.0.0","interfaces":[)" INTERFACES
               R"(],"watches":["v1/services"]}]})");

const berth_library *berth_plugins_abi1() {
    static const berth_plugin plugin = make_plugin();
    static const berth_plugin *const plugins[] = {&plugin};
    static const berth_library library{sizeof(berth_library), 0, 0, BERTH_ABI_MINOR, plugins, 1, BERTH_STR("tests"),
                                       BERTH_STR("")};
    // Each case uses some of these.
    (void)&filter_table, (void)&score_table, (void)&normalize_table, (void)&pre_filter_table, (void)&reserve_table;
    (void)&queue_sort_table, (void)&bind_table, (void)&post_bind_table, (void)&events_table;
    return &library;
}

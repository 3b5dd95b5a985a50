// SPDX-License-Identifier: Apache-2.0
// One library per case that throws where the ABI says that nothing may: case_name says where. The C++ wrapper
// would catch all of it, so this is written against the C headers.
#include "case_name.h"

#include <berth/berth.h>

#include <stdexcept>
#include <string>

namespace {

void pass(const std::string &where) {
    if (is("throws_in_" + where)) throw std::runtime_error("no tea in " + where);
}

void filter(void *, const berth_call *, berth_state *, const berth_pod *, const berth_nodes *, const std::uint32_t *,
            std::uint64_t n, std::int32_t *code, std::uint32_t *) {
    for (std::uint64_t i = 0; i < n; ++i) code[i] = BERTH_STATUS_SUCCESS;
    if (is("throws_int_in_filter")) throw 42;
    pass("filter");
}
void score(void *, const berth_call *, berth_state *, const berth_pod *, const berth_nodes *, const std::uint32_t *,
           std::uint64_t n, std::int64_t *out, berth_status *) {
    for (std::uint64_t i = 0; i < n; ++i) out[i] = BERTH_SCORE_MIN;
    pass("score");
}
void events(void *, berth_event_sink *, berth_status *) { pass("events"); }

constexpr berth_plugin_filter filter_table{sizeof(berth_plugin_filter), 0, filter};
constexpr berth_plugin_score score_table{sizeof(berth_plugin_score), 0, score};
constexpr berth_plugin_events events_table{sizeof(berth_plugin_events), 0, events, nullptr};

void default_args(const berth_host *host, const berth_create_info *info, const berth_value *, berth_text_sink *out,
                  berth_error_sink *) {
    pass("default_args");
    const void *sinks = host->get_service(host, BERTH_STR(BERTH_HOST_SINKS_V1));
    static_cast<const berth_host_sinks *>(sinks)->write_text(host, out, info->args);
}
void create(const berth_host *, const berth_create_info *, void **, berth_status *) { pass("create"); }
void declare(void *, berth_declare_sink *, berth_status *) { pass("declare"); }
void destroy(void *) { pass("destroy"); }
const void *get_interface(berth_str id) {
    pass("get_interface");
    std::string name(id.ptr, id.len);
    if (name == BERTH_PLUGIN_FILTER_V1) return &filter_table;
    if (name == BERTH_PLUGIN_SCORE_V1) return &score_table;
    return &events_table;
}

constexpr berth_str interfaces[] = {BERTH_STR(BERTH_PLUGIN_FILTER_V1), BERTH_STR(BERTH_PLUGIN_SCORE_V1),
                                    BERTH_STR(BERTH_PLUGIN_EVENTS_V1)};

berth_plugin make_plugin() {
    berth_plugin plugin{};
    plugin.struct_size = sizeof plugin;
    plugin.name = BERTH_STR("Throwing");
    plugin.version = BERTH_STR("1.0.0");
    plugin.interface_ids = interfaces;
    plugin.interface_ids_len = 3;
    plugin.default_args = default_args;
    plugin.create = create;
    plugin.declare = declare;
    plugin.destroy = destroy;
    plugin.get_interface = get_interface;
    return plugin;
}

}  // namespace

BERTH_MANIFEST(R"({"abi":1,"requiredMinor":0,"plugins":[{"name":"Throwing","version":"1.0.0",)"
               R"("interfaces":["berth.filter/1","berth.score/1","berth.events/1"]}]})");

const berth_library *berth_plugins_abi1() {
    pass("entry");
    static const berth_plugin plugin = make_plugin();
    static const berth_plugin *const plugins[] = {&plugin};
    static const berth_library library{sizeof(berth_library), 0, 0, BERTH_ABI_MINOR, plugins, 1, BERTH_STR("tests"),
                                       BERTH_STR("")};
    return &library;
}

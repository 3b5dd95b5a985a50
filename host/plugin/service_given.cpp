// SPDX-License-Identifier: Apache-2.0
// The services of what a call is given: each function goes to what stands behind its handle. Every host has them; what
// is checked about them, the strict layer checks behind the handles.
#include "model/look_ups.h"
#include "plugin/given.h"
#include "plugin/host_context.h"
#include "plugin/least_size.h"
#include "plugin/service_tables.h"

#include <berth/draft/victims.h>

namespace berth::plugin {
namespace {

using Host = const berth_host *;

void set_error(Host, berth_status *status, berth_str text) { behind(*status).set_error(text); }
void set_reasons(Host, berth_status *status, const berth_str *reasons, std::uint64_t n) {
    behind(*status).set_reasons(reasons, n);
}
void complete(Host, const berth_done *done, berth_status *status) { behind(*done).complete(status); }
std::uint32_t intern_reasons(Host, const berth_call *call, const berth_str *texts, std::uint64_t n) {
    return behind(*call).intern_reasons(texts, n);
}
void *scratch(Host, const berth_call *call, std::uint64_t size, std::uint64_t align) {
    return behind(*call).scratch(size, align);
}
void restrict_slots(Host, berth_restrict *to, const std::uint32_t *slots, std::uint64_t n) {
    Restrict::of(to)->slots(slots, n);
}
void restrict_names(Host, berth_restrict *to, const berth_str *names, std::uint64_t n) {
    Restrict::of(to)->names(names, n);
}
std::uint64_t outcome_reasons(Host, const berth_outcome *outcome, std::uint32_t slot, const berth_str **texts) {
    return behind(*outcome).reasons(slot, texts);
}
berth_str outcome_plugin(Host, const berth_outcome *outcome, std::uint32_t slot) {
    return behind(*outcome).plugin(slot);
}
std::uint64_t outcome_slots(Host, const berth_outcome *outcome, std::int32_t code, const std::uint32_t **slots) {
    return behind(*outcome).slots_with(code, slots);
}
void nominate(Host, berth_nomination *to, berth_str node) { Nomination::of(to)->nominate(node); }
std::int32_t name_victims(Host, berth_nomination *to, const std::uint32_t *rows, std::uint64_t n, berth_str reason) {
    return Nomination::of(to)->name_victims(rows, n, reason);
}

std::uint32_t find(Host, const berth_nodes *nodes, berth_str name) { return model::find_node(*nodes, name); }
/// Whether this host can fill that in.
std::int32_t can_fill(Host host, const berth_column &out) {
    return HostContext::of(host)->can_read("berth_column", out, BERTH_END_OF(berth_column, dict_generation));
}
std::int32_t column(Host host, const berth_nodes *nodes, std::uint32_t id, berth_column *out) {
    if (auto code = can_fill(host, *out); code != 0) return code;
    return model::look_ups(*nodes).column(id, out);
}
std::uint64_t pods_of(Host, const berth_pods *pods, std::uint32_t slot, const std::uint32_t **rows) {
    return model::look_ups(*pods).pods_of(slot, rows);
}
std::int32_t pod_column(Host host, const berth_pods *pods, std::uint32_t id, berth_column *out) {
    if (auto code = can_fill(host, *out); code != 0) return code;
    return model::look_ups(*pods).column(id, out);
}
const berth_pod *pod(Host, const berth_pods *pods, std::uint32_t row) { return model::look_ups(*pods).view_of(row); }

void write_text(Host, berth_text_sink *to, berth_str text) { TextSink::of(to)->write(text); }
void add_error(Host, berth_error_sink *to, berth_str path, berth_str text) { ErrorSink::of(to)->add(path, text); }
void declare_watch(Host, berth_declare_sink *to, berth_str group, berth_str version, berth_str resource) {
    DeclareSink::of(to)->watch(group, version, resource);
}
void declare_write(Host, berth_declare_sink *to, std::uint32_t verb, berth_str group, berth_str version,
                   berth_str resource) {
    DeclareSink::of(to)->write(verb, group, version, resource);
}
void add_event(Host, berth_event_sink *to, berth_str resource, std::uint64_t actions, std::uint32_t has_hint) {
    EventSink::of(to)->add(resource, actions, has_hint);
}

void add_remedy(Host, berth_remedy_sink *to, std::uint64_t i, const berth_change *changes, std::uint64_t n) {
    RemedySink::of(to)->add(i, changes, n);
}

constexpr berth_host_call call_table{sizeof(berth_host_call),
                                     0,
                                     set_error,
                                     set_reasons,
                                     complete,
                                     intern_reasons,
                                     scratch,
                                     restrict_slots,
                                     restrict_names,
                                     outcome_reasons,
                                     outcome_plugin,
                                     outcome_slots,
                                     nominate};
constexpr berth_host_nodes nodes_table{sizeof(berth_host_nodes), 0, find, column, pods_of, pod_column, pod};
constexpr berth_host_sinks sinks_table{
    sizeof(berth_host_sinks), 0, write_text, add_error, declare_watch, declare_write, add_event};
constexpr berth_host_remedies remedies_table{sizeof(berth_host_remedies), 0, add_remedy};
constexpr berth_host_victims victims_table{sizeof(berth_host_victims), 0, name_victims};

bool always(const Services &) { return true; }

}  // namespace

constinit const ServiceTables call_tables{BERTH_HOST_CALL_V1, &call_table, nullptr, always};
constinit const ServiceTables nodes_tables{BERTH_HOST_NODES_V1, &nodes_table, nullptr, always};
constinit const ServiceTables sinks_tables{BERTH_HOST_SINKS_V1, &sinks_table, nullptr, always};
constinit const ServiceTables remedies_tables{BERTH_HOST_REMEDIES_DRAFT1, &remedies_table, nullptr, always};
constinit const ServiceTables victims_tables{BERTH_HOST_VICTIMS_DRAFT1, &victims_table, nullptr, always};

}  // namespace berth::plugin

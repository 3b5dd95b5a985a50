// SPDX-License-Identifier: Apache-2.0
// The services of call, sinks, remedies and victims, over their handles. Every host has them; what is checked about
// them, the strict layer checks behind the handles, once it is known that they are the plugin's.
#include "model/look_ups.h"
#include "plugin/given.h"
#include "plugin/host_context.h"
#include "plugin/least_size.h"
#include "plugin/service_tables.h"
#include "plugin/strict.h"

#include <berth/draft/victims.h>

#include <new>

namespace berth::plugin {
namespace {

using Host = const berth_host *;

/// Whether it may be looked at what is behind a handle. Under the strict checks the plugin whose host this is must have
/// been given it: what else stands at that address may be another plugin's, or nothing any more.
bool may_follow(Host host, const void *given, const char *what) {
    auto &strict = HostContext::of(host)->strict;
    return !strict || strict->was_given(given, what);
}

void set_error(Host host, berth_status *status, berth_str text) {
    if (may_follow(host, status, "set_error of a status")) behind(*status).set_error(text);
}
void set_reasons(Host host, berth_status *status, const berth_str *reasons, std::uint64_t n) {
    if (may_follow(host, status, "set_reasons of a status")) behind(*status).set_reasons(reasons, n);
}
void complete(Host host, const berth_done *done, berth_status *status) {
    if (may_follow(host, done, "complete of a berth_done")) behind(*done).complete(status);
}
std::uint32_t intern_reasons(Host host, const berth_call *call, const berth_str *texts, std::uint64_t n) {
    if (!may_follow(host, call, "intern_reasons of a call")) return BERTH_NO_REASONS;
    return behind(*call).intern_reasons(texts, n);
}
void *scratch(Host host, const berth_call *call, std::uint64_t size, std::uint64_t align) try {
    if (may_follow(host, call, "scratch of a call")) return behind(*call).scratch(size, align);
    // As for a call that ended lately.
    return HostContext::of(host)->strict->late_memory.allocate(size);
} catch (const std::bad_alloc &) {
    return nullptr;
}
void restrict_slots(Host host, berth_restrict *to, const std::uint32_t *slots, std::uint64_t n) {
    if (may_follow(host, to, "restrict_slots of a call")) Restrict::of(to)->slots(slots, n);
}
void restrict_names(Host host, berth_restrict *to, const berth_str *names, std::uint64_t n) {
    if (may_follow(host, to, "restrict_names of a call")) Restrict::of(to)->names(names, n);
}
std::uint64_t outcome_reasons(Host host, const berth_outcome *outcome, std::uint32_t slot, const berth_str **texts) {
    *texts = nullptr;
    if (!may_follow(host, outcome, "outcome_reasons of an outcome")) return 0;
    return behind(*outcome).reasons(slot, texts);
}
berth_str outcome_plugin(Host host, const berth_outcome *outcome, std::uint32_t slot) {
    if (!may_follow(host, outcome, "outcome_plugin of an outcome")) return {};
    return behind(*outcome).plugin(slot);
}
std::uint64_t outcome_slots(Host host, const berth_outcome *outcome, std::int32_t code, const std::uint32_t **slots) {
    *slots = nullptr;
    if (!may_follow(host, outcome, "outcome_slots of an outcome")) return 0;
    return behind(*outcome).slots_with(code, slots);
}
void nominate(Host host, berth_nomination *to, berth_str node) {
    if (may_follow(host, to, "nominate of a nomination")) Nomination::of(to)->nominate(node);
}
std::int32_t name_victims(Host host, berth_nomination *to, const std::uint32_t *rows, std::uint64_t n,
                          berth_str reason) {
    if (!may_follow(host, to, "name of " BERTH_HOST_VICTIMS_DRAFT1 " for a nomination")) return BERTH_STATUS_INVALID;
    return Nomination::of(to)->name_victims(rows, n, reason);
}

std::uint32_t find(Host host, const berth_nodes *nodes, berth_str name) {
    return may_follow(host, nodes, "find of nodes") ? model::find_node(*nodes, name) : BERTH_NO_SLOT;
}
/// Whether this host can fill that in.
std::int32_t can_fill(Host host, const berth_column &out) {
    return HostContext::of(host)->can_read("berth_column", out, BERTH_END_OF(berth_column, dict_generation));
}
std::int32_t column(Host host, const berth_nodes *nodes, std::uint32_t id, berth_column *out) {
    if (!may_follow(host, nodes, "column of nodes")) return BERTH_STATUS_NOT_FOUND;
    if (auto code = can_fill(host, *out); code != 0) return code;
    return model::look_ups(*nodes).column(id, out);
}
std::uint64_t pods_of(Host host, const berth_pods *pods, std::uint32_t slot, const std::uint32_t **rows) {
    *rows = nullptr;
    if (!may_follow(host, pods, "pods_of of pods")) return 0;
    return model::look_ups(*pods).pods_of(slot, rows);
}
std::int32_t pod_column(Host host, const berth_pods *pods, std::uint32_t id, berth_column *out) {
    if (!may_follow(host, pods, "pod_column of pods")) return BERTH_STATUS_NOT_FOUND;
    if (auto code = can_fill(host, *out); code != 0) return code;
    return model::look_ups(*pods).column(id, out);
}
const berth_pod *pod(Host host, const berth_pods *pods, std::uint32_t row) {
    return may_follow(host, pods, "pod of pods") ? model::look_ups(*pods).view_of(row) : nullptr;
}

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

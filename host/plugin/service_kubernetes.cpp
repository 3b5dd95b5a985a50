// SPDX-License-Identifier: Apache-2.0
// The service berth.host.kubernetes/draft1: release and gates, for instances, and for default_args without an instance.
#include "config/feature_gates.h"
#include "plugin/fault.h"
#include "plugin/host_context.h"
#include "plugin/service_tables.h"

#include <berth/draft/kubernetes.h>

namespace berth::plugin {
namespace {

std::int32_t gate_in(const Kubernetes &kubernetes, berth_str name) {
    const auto on = config::gate_in(kubernetes.release, kubernetes.feature_gates, text_of(name));
    if (!on) return BERTH_STATUS_NOT_FOUND;
    return *on ? 1 : 0;
}

const Kubernetes &alone(const berth_host *host) { return *static_cast<const Kubernetes *>(host->ctx); }

std::uint32_t minor_of(const Kubernetes &kubernetes) { return static_cast<std::uint32_t>(kubernetes.release.minor()); }
std::uint32_t minor(const berth_host *host) { return minor_of(HostContext::of(host)->kubernetes); }
std::int32_t gate(const berth_host *host, berth_str name) { return gate_in(HostContext::of(host)->kubernetes, name); }
std::uint32_t minor_alone(const berth_host *host) { return minor_of(alone(host)); }
std::int32_t gate_alone(const berth_host *host, berth_str name) { return gate_in(alone(host), name); }

constexpr berth_host_kubernetes table{sizeof table, 0, minor, gate};
constexpr berth_host_kubernetes table_alone{sizeof table_alone, 0, minor_alone, gate_alone};

const void *services_alone(const berth_host *, berth_str id) {
    if (text_of(id) == sinks_tables.id) return sinks_tables.own;
    return text_of(id) == kubernetes_tables.id ? &table_alone : nullptr;
}

}  // namespace

constinit const ServiceTables kubernetes_tables{BERTH_HOST_KUBERNETES_DRAFT1, &table, nullptr,
                                                [](const Services &) { return true; }};

berth_host host_without_instance(Kubernetes &kubernetes) {
    auto host = host_of(services_alone);
    host.ctx = &kubernetes;
    return host;
}

}  // namespace berth::plugin

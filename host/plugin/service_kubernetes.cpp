// SPDX-License-Identifier: Apache-2.0
// The service berth.host.kubernetes/draft1: release and gates, for instances, and for default_args without an instance.
#include "config/feature_gates.h"
#include "plugin/fault.h"
#include "plugin/host_context.h"
#include "plugin/service_tables.h"

#include <berth/draft/kubernetes.h>

namespace berth::plugin {
namespace {

std::int32_t gate_in(const Kubernetes &kubernetes, KubernetesUse &use, berth_str name) {
    use.add_gate(text_of(name));
    const auto instead = kubernetes.instead.gates.find(text_of(name));
    const auto on = instead != kubernetes.instead.gates.end()
                        ? instead->second
                        : config::gate_in(kubernetes.release, kubernetes.feature_gates, text_of(name));
    if (!on) return BERTH_STATUS_NOT_FOUND;
    return *on ? 1 : 0;
}

std::uint32_t minor_of(const Kubernetes &kubernetes, KubernetesUse &use) {
    use.add_release();
    return static_cast<std::uint32_t>(kubernetes.instead.release.value_or(kubernetes.release).minor());
}

const WithoutInstance &alone(const berth_host *host) { return *static_cast<const WithoutInstance *>(host->ctx); }

std::uint32_t minor(const berth_host *host) {
    const auto &context = *HostContext::of(host);
    return minor_of(context.kubernetes, *context.kubernetes_use);
}
std::int32_t gate(const berth_host *host, berth_str name) {
    const auto &context = *HostContext::of(host);
    return gate_in(context.kubernetes, *context.kubernetes_use, name);
}
std::uint32_t minor_alone(const berth_host *host) { return minor_of(alone(host).kubernetes, alone(host).use); }
std::int32_t gate_alone(const berth_host *host, berth_str name) {
    return gate_in(alone(host).kubernetes, alone(host).use, name);
}

constexpr berth_host_kubernetes table{sizeof table, 0, minor, gate};
constexpr berth_host_kubernetes table_alone{sizeof table_alone, 0, minor_alone, gate_alone};

const void *services_alone(const berth_host *, berth_str id) {
    if (text_of(id) == sinks_tables.id) return sinks_tables.own;
    return text_of(id) == kubernetes_tables.id ? &table_alone : nullptr;
}

}  // namespace

constinit const ServiceTables kubernetes_tables{BERTH_HOST_KUBERNETES_DRAFT1, &table, nullptr,
                                                [](const Services &) { return true; }};

void KubernetesUse::add_release() {
    const std::lock_guard lock(mutex_);
    release_ = true;
}

void KubernetesUse::add_gate(std::string_view name) {
    constexpr std::size_t most = 1000;  // kube-scheduler has some 200
    const std::lock_guard lock(mutex_);
    if (gates_.size() < most && !gates_.contains(name)) gates_.emplace(name);
}

bool KubernetesUse::release() const {
    const std::lock_guard lock(mutex_);
    return release_;
}

std::set<std::string, std::less<>> KubernetesUse::gates() const {
    const std::lock_guard lock(mutex_);
    return gates_;
}

berth_host host_without_instance(WithoutInstance &world) {
    auto host = host_of(services_alone);
    host.ctx = &world;
    return host;
}

}  // namespace berth::plugin

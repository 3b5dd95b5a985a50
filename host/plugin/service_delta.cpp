// SPDX-License-Identifier: Apache-2.0
// The service berth.host.delta/1: the changes from one snapshot to the next. The strict table checks the thread and the
// nodes of the current call, and passes copies of the pods that left.
#include "plugin/host_context.h"
#include "plugin/least_size.h"
#include "plugin/service_tables.h"
#include "plugin/strict.h"

namespace berth::plugin {
namespace {

std::int32_t can_read(const berth_host *host, const berth_plugin_changes &functions) {
    return HostContext::of(host)->can_read("berth_plugin_changes", functions,
                                           BERTH_END_OF(berth_plugin_changes, pod_added));
}

std::int32_t changes(const berth_host *host, const berth_nodes *nodes, std::uint64_t since,
                     const berth_plugin_changes *functions, void *ctx) {
    if (!nodes || !functions) return BERTH_STATUS_INVALID;
    if (auto code = can_read(host, *functions); code != 0) return code;
    if (!functions->pod_removed || !functions->node_changed || !functions->pod_added) return BERTH_STATUS_INVALID;
    auto &provider = *HostContext::of(host)->services.changes;
    return provider.changes(since, nodes->snapshot_id, {*functions, ctx}) ? BERTH_STATUS_SUCCESS
                                                                          : BERTH_STATUS_NOT_FOUND;
}

/// A plugin's functions, which get copies.
struct Proxying {
    CallProxy &proxy;
    const berth_plugin_changes &to;
    void *to_ctx;

    static const Proxying &of(void *ctx) { return *static_cast<const Proxying *>(ctx); }
    static void pod_removed(void *ctx, std::uint32_t row, const berth_pod *pod, std::uint32_t slot) {
        const auto &l = of(ctx);
        l.to.pod_removed(l.to_ctx, row, l.proxy.proxied(pod), slot);
    }
    static void node_changed(void *ctx, std::uint32_t slot) { of(ctx).to.node_changed(of(ctx).to_ctx, slot); }
    static void pod_added(void *ctx, std::uint32_t row) { of(ctx).to.pod_added(of(ctx).to_ctx, row); }
};

std::int32_t checked_changes(const berth_host *host, const berth_nodes *nodes, std::uint64_t since,
                             const berth_plugin_changes *functions, void *ctx) {
    constexpr const char *what = "called changes of " BERTH_HOST_DELTA_V1;
    Strict &strict = *HostContext::of(host)->strict;
    CallProxy *proxy = strict.calls.innermost();
    if (!strict.on_loop() || !proxy || proxy->tag == Tag::Par) {
        strict.violated(std::string(what) +
                        (proxy ? " in a call that may run on several threads" : " outside of a call on the loop"));
        return BERTH_STATUS_INVALID;
    }
    if (nodes && !proxy->is_proxy(nodes)) {
        strict.violated(std::string(what) + " for nodes that are not those of the call");
        return BERTH_STATUS_INVALID;
    }
    if (nodes && since > nodes->snapshot_id) {
        strict.violated(std::string(what) + " since snapshot " + std::to_string(since) +
                        ", which is later than that of the call");
        return BERTH_STATUS_INVALID;
    }
    if (!functions) return BERTH_STATUS_INVALID;
    if (auto code = can_read(host, *functions); code != 0) return code;
    Proxying proxying{*proxy, *functions, ctx};
    berth_plugin_changes copies = *functions;
    copies.struct_size = sizeof copies;
    if (functions->pod_removed) copies.pod_removed = Proxying::pod_removed;
    if (functions->node_changed) copies.node_changed = Proxying::node_changed;
    if (functions->pod_added) copies.pod_added = Proxying::pod_added;
    return changes(host, nodes, since, &copies, &proxying);
}

constexpr berth_host_delta own_table{sizeof(berth_host_delta), 0, changes};
constexpr berth_host_delta checked_table{sizeof(berth_host_delta), 0, checked_changes};

}  // namespace

const ServiceTables delta_tables{BERTH_HOST_DELTA_V1, &own_table, &checked_table,
                                 [](const Services &services) { return services.changes != nullptr; }};

}  // namespace berth::plugin

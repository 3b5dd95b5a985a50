// SPDX-License-Identifier: Apache-2.0
// berth.delta/1: what has changed from one snapshot to the next. The strict table knows the thread and the nodes of the
// call at hand, and lends copies of the pods that left.
#include "plugin/host_context.h"
#include "plugin/service_tables.h"
#include "plugin/strict.h"

namespace berth::plugin {
namespace {

std::int32_t changes(const berth_host *host, const berth_nodes *nodes, std::uint64_t since,
                     const berth_change_sink *sink) {
    if (!nodes || !sink || !sink->pod_removed || !sink->node_changed || !sink->pod_added) return BERTH_INVALID;
    auto &provider = *HostContext::of(host)->services.changes;
    return provider.changes(since, nodes->snapshot_id, *sink) ? BERTH_SUCCESS : BERTH_NOT_FOUND;
}

/// A plugin's sink that is handed copies.
struct Lending {
    Frame &frame;
    const berth_change_sink &to;

    static const Lending &of(void *ctx) { return *static_cast<const Lending *>(ctx); }
    static void pod_removed(void *ctx, std::uint32_t row, const berth_pod *pod, std::uint32_t slot) {
        const auto &l = of(ctx);
        l.to.pod_removed(l.to.ctx, row, l.frame.lend(pod), slot);
    }
    static void node_changed(void *ctx, std::uint32_t slot) { of(ctx).to.node_changed(of(ctx).to.ctx, slot); }
    static void pod_added(void *ctx, std::uint32_t row) { of(ctx).to.pod_added(of(ctx).to.ctx, row); }
};

std::int32_t checked_changes(const berth_host *host, const berth_nodes *nodes, std::uint64_t since,
                             const berth_change_sink *sink) {
    constexpr const char *what = "called changes of " BERTH_DELTA_V1;
    Strict &strict = *HostContext::of(host)->strict;
    Frame *frame = strict.innermost();
    if (!strict.on_loop() || !frame || frame->tag == Tag::Par) {
        strict.violated(std::string(what) +
                        (frame ? " in a call that may run on several threads" : " outside of a call on the loop"));
        return BERTH_INVALID;
    }
    if (nodes && !frame->lent(nodes)) {
        strict.violated(std::string(what) + " for nodes that are not those of the call");
        return BERTH_INVALID;
    }
    if (nodes && since > nodes->snapshot_id) {
        strict.violated(std::string(what) + " since snapshot " + std::to_string(since) +
                        ", which is later than that of the call");
        return BERTH_INVALID;
    }
    if (!sink) return changes(host, nodes, since, sink);
    Lending lending{*frame, *sink};
    berth_change_sink copies = *sink;
    copies.ctx = &lending;
    if (sink->pod_removed) copies.pod_removed = Lending::pod_removed;
    if (sink->node_changed) copies.node_changed = Lending::node_changed;
    if (sink->pod_added) copies.pod_added = Lending::pod_added;
    return changes(host, nodes, since, &copies);
}

constexpr berth_delta own_table{sizeof(berth_delta), 0, changes};
constexpr berth_delta checked_table{sizeof(berth_delta), 0, checked_changes};

}  // namespace

const ServiceTables delta_tables{BERTH_DELTA_V1, &own_table, &checked_table,
                                 [](const Services &services) { return services.changes != nullptr; }};

}  // namespace berth::plugin

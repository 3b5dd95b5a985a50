// SPDX-License-Identifier: Apache-2.0
// The service berth.host.pending_pods/draft1: its functions, and their variants for the strict checks.
#include "plugin/fault.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

namespace berth::plugin {
namespace {

constexpr std::uint32_t all_places = BERTH_PENDING_ACTIVE | BERTH_PENDING_BACKOFF | BERTH_PENDING_UNSCHEDULABLE |
                                     BERTH_PENDING_GATED | BERTH_PENDING_GROUP;

bool are_places(std::uint32_t places) { return (places & all_places) != 0; }

std::int32_t count(const berth_host *host, std::uint32_t places, std::uint64_t *n) {
    if (!n) return BERTH_STATUS_INVALID;
    *n = 0;
    const auto &context = *HostContext::of(host);
    if (!context.is_at_work() || !are_places(places)) return BERTH_STATUS_INVALID;
    const auto counted = context.services.pending_pods->count(places);
    *n = counted.value_or(0);
    return counted ? BERTH_STATUS_SUCCESS : BERTH_STATUS_INVALID;
}

std::int32_t visit(const berth_host *host, std::uint32_t places,
                   std::int32_t (*visit)(void *, const berth_pending_pod *), void *ctx) {
    const auto &context = *HostContext::of(host);
    if (!visit || !context.is_at_work() || !are_places(places)) return BERTH_STATUS_INVALID;
    switch (context.services.pending_pods->visit(places,
                                                 [&](const berth_pending_pod &pod) { return visit(ctx, &pod) != 0; })) {
        case PendingPods::Visited::Open: return BERTH_STATUS_SUCCESS;
        case PendingPods::Visited::Changed: return BERTH_STATUS_CANCELLED;
        case PendingPods::Visited::Closed: break;
    }
    return BERTH_STATUS_INVALID;
}

std::int32_t version(const berth_host *host, std::uint64_t *version) {
    if (!version) return BERTH_STATUS_INVALID;
    *version = 0;
    const auto &context = *HostContext::of(host);
    if (!context.is_at_work()) return BERTH_STATUS_INVALID;
    const auto now = context.services.pending_pods->version();
    *version = now.value_or(0);
    return now ? BERTH_STATUS_SUCCESS : BERTH_STATUS_INVALID;
}

// Of the strict layer.

/// Whether the call can be passed on; what is wrong with it is named.
bool check(const berth_host *host, const std::string &what, std::uint32_t places) {
    Strict &strict = strict_of(host);
    if (!check_loop(strict, what.c_str())) return false;
    if (!HostContext::of(host)->is_at_work()) strict.violated("called " + what + " while the instance is made or ends");
    else if (!are_places(places)) strict.violated("called " + what + " for the places " + std::to_string(places));
    else return true;
    return false;
}

/// After a call that is passed on: the one reason that is left.
void name_closed(const berth_host *host, const std::string &what, std::int32_t code) {
    if (code == BERTH_STATUS_INVALID)
        strict_of(host).violated("called " + what + " in PreEnqueue, QueueSort or a hint, while the queue changes");
}

std::int32_t checked_count(const berth_host *host, std::uint32_t places, std::uint64_t *n) {
    const std::string what = "count of " BERTH_HOST_PENDING_PODS_DRAFT1;
    if (n && check(host, what, places)) {
        const auto code = count(host, places, n);
        name_closed(host, what, code);
        return code;
    }
    if (n) *n = 0;
    else strict_of(host).violated("called " + what + " without a place for the number");
    return BERTH_STATUS_INVALID;
}

std::int32_t checked_version(const berth_host *host, std::uint64_t *to) {
    const std::string what = "version of " BERTH_HOST_PENDING_PODS_DRAFT1;
    if (to && check(host, what, all_places)) {
        const auto code = version(host, to);
        name_closed(host, what, code);
        return code;
    }
    if (to) *to = 0;
    else strict_of(host).violated("called " + what + " without a place for the number");
    return BERTH_STATUS_INVALID;
}

constexpr const char *visiting = "visit of " BERTH_HOST_PENDING_PODS_DRAFT1;

/// Each pod is valid during its own call.
struct Visitor {
    Strict &strict;
    std::int32_t (*visit)(void *, const berth_pending_pod *);
    void *ctx;

    static std::int32_t on_pod(void *self, const berth_pending_pod *pod) {
        const auto &v = *static_cast<Visitor *>(self);
        Call one(v.strict, visiting, Tag::Loop, pod->pod);
        auto &memory = one.proxy().memory;
        berth_pending_pod shown = *pod;
        shown.pod = one.proxied(pod->pod);
        auto *plugins = memory.copy(pod->plugins, pod->plugins_len);
        for (std::uint64_t i = 0; i < pod->plugins_len; ++i) plugins[i] = memory.copy(pod->plugins[i]);
        shown.plugins = plugins;
        shown.group = memory.copy(pod->group);
        const auto more = v.visit(v.ctx, memory.copy(&shown, 1));
        one.end();
        return more;
    }
};

std::int32_t checked_visit(const berth_host *host, std::uint32_t places,
                           std::int32_t (*function)(void *, const berth_pending_pod *), void *ctx) {
    Strict &strict = strict_of(host);
    const std::string what = visiting;
    if (!function) {
        strict.violated("called " + what + " without a function");
        return BERTH_STATUS_INVALID;
    }
    if (!check(host, what, places)) return BERTH_STATUS_INVALID;
    Visitor visitor{strict, function, ctx};
    const auto code = visit(host, places, Visitor::on_pod, &visitor);
    name_closed(host, what, code);
    if (code == BERTH_STATUS_CANCELLED) strict.violated("changed the queue within " + what);
    return code;
}

constexpr berth_host_pending_pods own_table{sizeof(berth_host_pending_pods), 0, count, visit, version};
constexpr berth_host_pending_pods checked_table{sizeof(berth_host_pending_pods), 0, checked_count, checked_visit,
                                                checked_version};

}  // namespace

const ServiceTables pending_pods_tables{BERTH_HOST_PENDING_PODS_DRAFT1, &own_table, &checked_table,
                                        [](const Services &services) { return services.pending_pods != nullptr; }};

}  // namespace berth::plugin

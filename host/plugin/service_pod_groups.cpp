// SPDX-License-Identifier: Apache-2.0
// berth.host.pod_groups/draft1, and what is checked about it.
#include "plugin/fault.h"
#include "plugin/least_size.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <algorithm>
#include <cstring>

namespace berth::plugin {
namespace {

std::int32_t get(const berth_host *host, berth_str name_space, berth_str name, berth_pod_group *out) {
    const auto &context = *HostContext::of(host);
    constexpr auto least = BERTH_END_OF(berth_pod_group, assigned);
    if (!out) return BERTH_STATUS_INVALID;
    if (auto code = context.can_read("berth_pod_group", *out, least); code != 0) return code;
    berth_pod_group mine{};
    const bool known = context.services.pod_groups->describe(text_of(name_space), text_of(name), mine);
    const auto size = std::min<std::size_t>(out->struct_size, sizeof mine);
    mine.struct_size = static_cast<std::uint32_t>(size);
    std::memcpy(out, &mine, size);
    return known ? BERTH_STATUS_SUCCESS : BERTH_STATUS_NOT_FOUND;
}

void visit(const berth_host *host, berth_str name_space, berth_str name, std::uint32_t which,
           std::int32_t (*visit)(void *, berth_str), void *ctx) {
    if (!visit) return;
    HostContext::of(host)->services.pod_groups->visit(
        text_of(name_space), text_of(name), which,
        [&](std::string_view uid) { return visit(ctx, model::to_str(uid)) != 0; });
}

// Of the strict layer.

std::int32_t checked_get(const berth_host *host, berth_str name_space, berth_str name, berth_pod_group *out) {
    Strict &strict = strict_of(host);
    if (!check_loop(strict, "get of " BERTH_HOST_POD_GROUPS_DRAFT1)) return BERTH_STATUS_INVALID;
    const auto code = get(host, name_space, name, out);
    if (code == BERTH_STATUS_SUCCESS && out->obj) strict.calls.show(out->obj);
    return code;
}

void checked_visit(const berth_host *host, berth_str name_space, berth_str name, std::uint32_t which,
                   std::int32_t (*function)(void *, berth_str), void *ctx) {
    Strict &strict = strict_of(host);
    if (!check_loop(strict, "visit of " BERTH_HOST_POD_GROUPS_DRAFT1)) return;
    constexpr std::uint32_t all = BERTH_GROUP_UNSCHEDULED | BERTH_GROUP_ASSUMED | BERTH_GROUP_ASSIGNED;
    if (!function) strict.violated("called visit of " BERTH_HOST_POD_GROUPS_DRAFT1 " without a function");
    else if ((which & all) == 0)
        strict.violated("called visit of " BERTH_HOST_POD_GROUPS_DRAFT1 " for the places " + std::to_string(which));
    visit(host, name_space, name, which, function, ctx);
}

constexpr berth_host_pod_groups own_table{sizeof(berth_host_pod_groups), 0, get, visit};
constexpr berth_host_pod_groups checked_table{sizeof(berth_host_pod_groups), 0, checked_get, checked_visit};

}  // namespace

const ServiceTables pod_groups_tables{BERTH_HOST_POD_GROUPS_DRAFT1, &own_table, &checked_table,
                                      [](const Services &services) { return services.pod_groups != nullptr; }};

}  // namespace berth::plugin

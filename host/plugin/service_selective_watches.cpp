// SPDX-License-Identifier: Apache-2.0
// The service berth.host.selective_watches/draft1: the host's own table and the strict layer's.
#include "plugin/given.h"
#include "plugin/least_size.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <berth/draft/selective_watches.h>

namespace berth::plugin {
namespace {

void declare(const berth_host *host, berth_declare_sink *to, const berth_watch *watch) {
    constexpr auto least = BERTH_END_OF(berth_watch, field_selector);
    if (!watch || HostContext::of(host)->can_read("berth_watch", *watch, least) != BERTH_STATUS_SUCCESS)
        watch = nullptr;
    DeclareSink::of(to)->select(watch);
}

void checked_declare(const berth_host *host, berth_declare_sink *to, const berth_watch *watch) {
    constexpr const char *declaring = "called declare of " BERTH_HOST_SELECTIVE_WATCHES_DRAFT1;
    Strict &strict = strict_of(host);
    if (!strict.creating()) strict.violated(std::string(declaring) + " after create");
    else if (!to) strict.violated(std::string(declaring) + " without a sink");
    else {
        if (!watch) strict.violated(std::string(declaring) + " without a berth_watch");
        declare(host, to, watch);
    }
}

constexpr berth_host_selective_watches own_table{sizeof(berth_host_selective_watches), 0, declare};
constexpr berth_host_selective_watches checked_table{sizeof(berth_host_selective_watches), 0, checked_declare};

}  // namespace

constinit const ServiceTables selective_watches_tables{BERTH_HOST_SELECTIVE_WATCHES_DRAFT1, &own_table, &checked_table,
                                                       [](const Services &s) { return s.objects != nullptr; }};

}  // namespace berth::plugin

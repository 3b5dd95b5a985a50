// SPDX-License-Identifier: Apache-2.0
// The service berth.host.cancellation/draft1: its functions, and their variants for the strict checks.
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <berth/draft/cancellation.h>

namespace berth::plugin {
namespace {

std::int32_t after(const berth_host *host, const berth_call *call, void (*fn)(void *, std::int32_t), void *ctx) {
    auto *attempt = CallContext::of(call);
    if (!attempt || !fn) return BERTH_STATUS_INVALID;
    return attempt->cancellation().after(*HostContext::of(host), fn, ctx);
}

std::int32_t checked_after(const berth_host *host, const berth_call *call, void (*fn)(void *, std::int32_t),
                           void *ctx) {
    const std::string what = "after of " BERTH_HOST_CANCELLATION_DRAFT1;
    Strict &strict = strict_of(host);
    if (!check_loop(strict, what.c_str())) return BERTH_STATUS_INVALID;
    CallProxy *proxy = strict.calls.find(call);
    if (!fn) strict.violated("called " + what + " without a function");
    else if (!proxy) strict.violated("called " + what + " for a call that it was not given");
    if (!fn || !proxy || !strict.may_use(*proxy, "the berth_call")) return BERTH_STATUS_INVALID;
    auto *expected = strict.callbacks.expect({.strict = &strict, .ctx = ctx, .on_code = fn, .at_cancellation = true});
    const auto code = after(host, proxy->real_call(), pass_on, expected);
    if (code != BERTH_STATUS_SUCCESS) strict.callbacks.take(expected);
    if (code == BERTH_STATUS_INVALID) strict.violated("called " + what + " for a call that cannot be answered later");
    return code;
}

constexpr berth_host_cancellation own_table{sizeof(berth_host_cancellation), 0, after};
constexpr berth_host_cancellation checked_table{sizeof(berth_host_cancellation), 0, checked_after};

}  // namespace

constinit const ServiceTables cancellation_tables{BERTH_HOST_CANCELLATION_DRAFT1, &own_table, &checked_table,
                                                  [](const Services &s) { return s.clock != nullptr; }};

}  // namespace berth::plugin

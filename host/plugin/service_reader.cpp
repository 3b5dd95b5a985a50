// SPDX-License-Identifier: Apache-2.0
// The service berth.host.reader/draft1: the host's own table and the strict layer's.
#include "plugin/api_answer.h"
#include "plugin/fault.h"
#include "plugin/given.h"
#include "plugin/least_size.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <berth/detail/reads.hpp>

#include <algorithm>

namespace berth::plugin {
namespace {

using OnRead = void (*)(void *, const berth_answer *);

static_assert(BERTH_READ_MOST_BYTES == env::most_of_read);

void declare(const berth_host *, berth_declare_sink *to, std::uint32_t verb, berth_str group, berth_str version,
             berth_str resource) {
    DeclareSink::of(to)->read(verb, group, version, resource);
}

env::ApiRequest request_of(const berth_read &read) {
    auto text = [](const berth_str &s) { return std::string(text_of(s)); };
    env::ApiRequest out;
    out.verb = read.verb == BERTH_READ_GET ? env::Verb::Get : env::Verb::List;
    out.group = text(read.group);
    out.version = text(read.version);
    out.resource = text(read.resource);
    out.name_space = text(read.namespace_);
    out.name = text(read.name);
    if (out.verb == env::Verb::List)
        out.list = {text(read.label_selector), text(read.field_selector), text(read.continue_), detail::limit_of(read)};
    return out;
}

/// Whether it may be sent: SUCCESS, or what read() returns, and the log says why.
std::int32_t check(const HostContext &context, const berth_read &read) {
    const auto group = text_of(read.group), version = text_of(read.version), resource = text_of(read.resource);
    const std::string plugin = "plugin " + in_quotes(context.plugin);
    // Names often come from what users wrote, so a bad one is no breach of the ABI.
    if (const auto fault = detail::fault_of(read); !fault.empty()) {
        if (context.services.log)
            context.services.log->write(env::Severity::Warning, 0, plugin + " cannot read: " + fault,
                                        {{"plugin", context.plugin}});
        return BERTH_STATUS_INVALID;
    }
    const auto right = detail::read_text(read.verb, group, version, resource);
    if (std::ranges::count(context.reads, right) > 0) return BERTH_STATUS_SUCCESS;
    context.broke_abi(
        plugin + " wants to " + right +
        ", which it did not declare; the read was not sent: declare it by declare of " BERTH_HOST_READER_DRAFT1
        ", and name " +
        in_quotes(right) + " in the note's reads");
    return BERTH_STATUS_INVALID;
}

/// Whether the instance can read here and now: SUCCESS, or what read() returns; the log says why, but for CANCELLED.
std::int32_t check_now(const HostContext &context) {
    const bool on_loop = context.on_loop();
    if (on_loop && context.over) return BERTH_STATUS_CANCELLED;
    if (context.is_at_work()) return BERTH_STATUS_SUCCESS;
    constexpr const char *off_loop = " called read of " BERTH_HOST_READER_DRAFT1 " off the loop; the read was not sent";
    constexpr const char *too_early =
        " called read of " BERTH_HOST_READER_DRAFT1 " before its instance was made; the read was not sent";
    context.broke_abi("plugin " + in_quotes(context.plugin) + (on_loop ? too_early : off_loop));
    return BERTH_STATUS_INVALID;
}

std::int32_t read(const berth_host *host, const berth_read *what, OnRead on_read, void *ctx, std::uint64_t *id) {
    auto *context = HostContext::of(host);
    constexpr auto least = BERTH_END_OF(berth_read, limit);
    if (id) *id = 0;
    if (!what || !on_read) return BERTH_STATUS_INVALID;
    if (auto code = context->can_read("berth_read", *what, least); code != 0) return code;
    if (auto code = check_now(*context); code != BERTH_STATUS_SUCCESS) return code;
    // As client.send: the answer comes when a dry run is over, so that only what the real scheduler decides later could
    // depend on it; and neither dry runs nor shadows are in a recording, whose replay would miss the read.
    if (!context->may_act()) return BERTH_STATUS_UNSUPPORTED;
    if (auto code = check(*context, *what); code != BERTH_STATUS_SUCCESS) return code;
    if (context->reads_sent >= BERTH_READ_MOST_PENDING) return BERTH_STATUS_BUSY;
    const auto number = context->pending_reads.expect([context, on_read, ctx](const Callbacks::Came &came) {
        const ApiAnswer answer(came, ApiAnswer::To::Read);
        context->call_back(BERTH_HOST_READER_DRAFT1, [&] { on_read(ctx, answer.raw()); });
    });
    if (number == 0) return BERTH_STATUS_CANCELLED;
    if (id) *id = number;
    ++context->reads_sent;
    context->services.api->send(request_of(*what),
                                [weak = context->weak_from_this(), number](const env::ApiAnswer &came) {
                                    auto alive = weak.lock();
                                    if (!alive) return;
                                    // Also of one that was cancelled: only now it takes no place in the client's queue
                                    // any more.
                                    --alive->reads_sent;
                                    alive->pending_reads.come(number, came_of(came));
                                });
    return BERTH_STATUS_SUCCESS;
}

std::int32_t cancel(const berth_host *host, std::uint64_t id) {
    auto *context = HostContext::of(host);
    if (!context->on_loop()) {
        context->broke_abi("plugin " + in_quotes(context->plugin) +
                           " called cancel of " BERTH_HOST_READER_DRAFT1 " off the loop");
        return BERTH_STATUS_INVALID;
    }
    // A dry run must not take the answer from what the real scheduler has begun.
    if (!context->may_act()) return BERTH_STATUS_UNSUPPORTED;
    return context->pending_reads.cancel(id) ? BERTH_STATUS_SUCCESS : BERTH_STATUS_NOT_FOUND;
}

// Of the strict layer.

void checked_declare(const berth_host *host, berth_declare_sink *to, std::uint32_t verb, berth_str group,
                     berth_str version, berth_str resource) {
    Strict &strict = strict_of(host);
    if (!strict.creating()) strict.violated("called declare of " BERTH_HOST_READER_DRAFT1 " after create");
    else if (!to) strict.violated("called declare of " BERTH_HOST_READER_DRAFT1 " without a sink");
    else declare(host, to, verb, group, version, resource);
}

std::int32_t checked_read(const berth_host *host, const berth_read *what, OnRead on_read, void *ctx,
                          std::uint64_t *id) {
    constexpr const char *reading = "read of " BERTH_HOST_READER_DRAFT1;
    Strict &strict = strict_of(host);
    if (id) *id = 0;
    if (!check_loop(strict, reading)) return BERTH_STATUS_INVALID;
    if (!what || !on_read) {
        strict.violated("called " + std::string(reading) + (what ? " without a function" : " without a berth_read"));
        return BERTH_STATUS_INVALID;
    }
    auto *expected = strict.callbacks.expect({.strict = &strict, .ctx = ctx, .on_answer = on_read});
    const auto begun = read(host, what, pass_on_answer, expected, id);
    if (begun != BERTH_STATUS_SUCCESS) strict.callbacks.take(expected);
    return begun;
}

std::int32_t checked_cancel(const berth_host *host, std::uint64_t id) {
    if (!check_loop(strict_of(host), "cancel of " BERTH_HOST_READER_DRAFT1)) return BERTH_STATUS_INVALID;
    return cancel(host, id);
}

constexpr berth_host_reader own_table{sizeof(berth_host_reader), 0, declare, read, cancel};
constexpr berth_host_reader checked_table{sizeof(berth_host_reader), 0, checked_declare, checked_read, checked_cancel};

}  // namespace

constinit const ServiceTables reader_tables{BERTH_HOST_READER_DRAFT1, &own_table, &checked_table,
                                            [](const Services &s) { return s.api != nullptr; }};

}  // namespace berth::plugin

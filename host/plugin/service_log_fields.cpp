// SPDX-License-Identifier: Apache-2.0
// The service berth.host.log_fields/draft1: log lines with fields, in klog's form.
#include "plugin/current_call.h"
#include "plugin/fault.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <berth/draft/log_fields.h>
#include <berth/detail/log_line.hpp>

#include <algorithm>

namespace berth::plugin {
namespace {

void write(const berth_host *host, std::uint32_t severity, std::uint32_t verbosity, berth_str message,
           const berth_kv *fields, std::uint64_t n) {
    const auto *context = HostContext::of(host);
    auto *log = context->services.log;
    const auto level = level_of(verbosity);
    if (!log->enabled(severity_of(severity), level)) return;
    const std::span all(fields, fields ? static_cast<std::size_t>(n) : 0);
    const auto shown = all.first(std::min(all.size(), detail::most_fields));
    detail::LogLine line;
    line.message(text_of(message));
    const auto &call = CurrentCall::mine();
    if (const auto *pod = call.pod.load(); pod && call.plugin.load())
        if (std::ranges::none_of(shown, [](const berth_kv &field) { return text_of(field.key) == "pod"; }))
            line.add("pod", pod->key());
    line.add(all);
    log->write_text(severity_of(severity), level, context->plugin, line.take());
}

/// Names the plugin if a text of the value is one that it had kept. No more is looked at than the host writes: so many
/// items, not deeper.
void check_value(Strict &strict, const berth_value &value, std::size_t &left, int depth) {
    if (left == 0 || depth > detail::deepest_field) return;
    --left;
    const bool array = value.kind == BERTH_VALUE_ARRAY;
    if (value.kind == BERTH_VALUE_STRING) {
        const berth_str text{value.ptr.string, value.n.len};
        strict.check_texts(&text, 1);
    }
    if (!array && value.kind != BERTH_VALUE_OBJECT) return;
    for (std::uint64_t i = 0; value.ptr.any && i < value.n.len && left > 0; ++i) {
        if (!array) strict.check_texts(&value.ptr.members[i].key, 1);
        check_value(strict, array ? value.ptr.items[i] : value.ptr.members[i].value, left, depth + 1);
    }
}

void checked_write(const berth_host *host, std::uint32_t severity, std::uint32_t verbosity, berth_str message,
                   const berth_kv *fields, std::uint64_t n) {
    const std::string called = "called write of " BERTH_HOST_LOG_FIELDS_DRAFT1;
    Strict &strict = strict_of(host);
    strict.check_texts(&message, 1);
    std::vector<std::string_view> keys;
    const std::span all(fields, fields ? static_cast<std::size_t>(n) : 0);
    for (const auto &field : all.first(std::min(all.size(), detail::most_fields))) {
        strict.check_texts(&field.key, 1);
        const auto key = text_of(field.key);
        if (!detail::is_field_key(key)) strict.violated(called + " with an invalid key: " + in_quotes(key));
        else if (std::ranges::count(keys, key) > 0)
            strict.violated(called + " with the key " + in_quotes(key) + " twice");
        keys.push_back(key);
        std::size_t left = detail::longest_field_text;
        check_value(strict, field.value, left, 0);
    }
    write(host, severity, verbosity, message, fields, n);
}

constexpr berth_host_log_fields own_table{sizeof(berth_host_log_fields), 0, write};
constexpr berth_host_log_fields checked_table{sizeof(berth_host_log_fields), 0, checked_write};

}  // namespace

constinit const ServiceTables log_fields_tables{BERTH_HOST_LOG_FIELDS_DRAFT1, &own_table, &checked_table,
                                                [](const Services &s) { return s.log != nullptr; }};

}  // namespace berth::plugin

// SPDX-License-Identifier: Apache-2.0
// berth.host.log_fields/draft1: a line is put together here, in klog's form.
#include "decode/write.h"
#include "plugin/current_call.h"
#include "plugin/fault.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <berth/draft/log_fields.h>
#include <berth/detail/metric.hpp>

#include <algorithm>
#include <limits>

namespace berth::plugin {
namespace {

constexpr std::size_t longest_key = 64, longest_message = 1'024, longest_value = 1'024;
constexpr std::uint64_t most_fields = 32;
constexpr int deepest = 8;

bool is_key(std::string_view key) {
    constexpr std::string_view others = "_.-/";
    auto may_stand = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               others.find(c) != others.npos;
    };
    return !key.empty() && key.size() <= longest_key && std::ranges::all_of(key, may_stand);
}

/// The line that becomes of a message and its fields.
class Line {
    std::string text_;
    bool cut_ = false;

    void quote(std::string_view text, std::size_t longest) {
        const auto part = detail::cut_text(text, longest);
        cut_ = cut_ || part.size() < text.size();
        decode::append_json_string(text_, part);
    }

    /// JSON that ends where it gets too long.
    void append_tree(const berth_value &value, int depth, std::size_t end) {
        const Value tree(&value);
        if (!tree.is_array() && !tree.is_object()) return append_scalar(value);
        const bool array = tree.is_array();
        text_ += array ? '[' : '{';
        for (std::size_t i = 0; i < tree.size(); ++i) {
            if (depth == deepest || text_.size() >= end) {
                cut_ = true;
                break;
            }
            if (i > 0) text_ += ',';
            if (!array) {
                quote(tree.key(i), longest_value);
                text_ += ':';
            }
            append_tree(*(array ? tree.at(i) : tree.member(i)).raw(), depth + 1, end);
        }
        text_ += array ? ']' : '}';
    }
    void append_scalar(const berth_value &value) {
        const Value scalar(&value);
        if (scalar.is_string()) quote(scalar.string(), longest_value);
        else decode::append_json(text_, model::Value(&value));
    }

public:
    explicit Line(std::string_view message) { quote(message, longest_message); }
    void add(std::string_view key, std::string_view text) {
        text_.append(" ").append(key).append("=");
        quote(text, longest_value);
    }
    void add(const berth_kv &field) {
        text_.append(" ").append(text_of(field.key)).append("=");
        append_tree(field.value, 0, text_.size() + longest_value);
    }
    void cut() { cut_ = true; }
    std::string take() {
        if (cut_) text_ += " cut=true";
        return std::move(text_);
    }
};

void write(const berth_host *host, std::uint32_t severity, std::uint32_t verbosity, berth_str message,
           const berth_kv *fields, std::uint64_t n) {
    constexpr std::uint32_t most = std::numeric_limits<int>::max();
    const auto *context = HostContext::of(host);
    auto *log = context->services.log;
    const auto level = static_cast<int>(std::min(verbosity, most));
    if (!log->enabled(severity_of(severity), level)) return;
    if (!fields) n = 0;
    const std::span shown(fields, static_cast<std::size_t>(std::min(n, most_fields)));
    Line line(text_of(message));
    const auto &call = CurrentCall::mine();
    if (const auto *pod = call.pod.load(); pod && call.plugin.load())
        if (std::ranges::none_of(shown, [](const berth_kv &field) { return text_of(field.key) == "pod"; }))
            line.add("pod", pod->key());
    for (const auto &field : shown)
        if (is_key(text_of(field.key))) line.add(field);
    if (n > most_fields) line.cut();
    log->write_text(severity_of(severity), level, context->plugin, line.take());
}

void checked_write(const berth_host *host, std::uint32_t severity, std::uint32_t verbosity, berth_str message,
                   const berth_kv *fields, std::uint64_t n) {
    const std::string called = "called write of " BERTH_HOST_LOG_FIELDS_DRAFT1;
    Strict &strict = strict_of(host);
    strict.check_texts(&message, 1);
    if (severity > BERTH_LOG_ERROR) strict.violated(called + " with a severity that is none");
    std::vector<std::string_view> keys;
    for (std::uint64_t i = 0; fields && i < n; ++i) {
        strict.check_texts(&fields[i].key, 1);
        const auto key = text_of(fields[i].key);
        if (!is_key(key)) strict.violated(called + " with a key that is none: " + in_quotes(key));
        else if (std::ranges::count(keys, key) > 0)
            strict.violated(called + " with the key " + in_quotes(key) + " twice");
        keys.push_back(key);
        const berth_str text{fields[i].value.ptr.string, fields[i].value.n.len};
        if (fields[i].value.kind == BERTH_VALUE_STRING) strict.check_texts(&text, 1);
    }
    write(host, severity, verbosity, message, fields, n);
}

constexpr berth_host_log_fields own_table{sizeof(berth_host_log_fields), 0, write};
constexpr berth_host_log_fields checked_table{sizeof(berth_host_log_fields), 0, checked_write};

}  // namespace

constinit const ServiceTables log_fields_tables{BERTH_HOST_LOG_FIELDS_DRAFT1, &own_table, &checked_table,
                                                [](const Services &s) { return s.log != nullptr; }};

}  // namespace berth::plugin

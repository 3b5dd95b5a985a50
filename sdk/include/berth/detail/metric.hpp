// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a metric may be, for hosts and for the testing kit. Not for plugin authors.

#include <berth/draft/metrics.h>
#include <berth/value.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::detail {

constexpr std::uint64_t most_metrics = 64, most_metric_labels = 8, most_metric_bounds = 64, longest_label_value = 128;
constexpr std::uint32_t most_metric_series = 2'000, usual_metric_series = 100;

/// Empty if it claims bytes without pointing to any.
inline std::string_view metric_text(const berth_str &text) { return text.ptr ? view(text) : std::string_view{}; }

/// Letters, digits and underscores, not beginning with a digit.
inline bool is_metric_word(std::string_view word, std::size_t longest) {
    if (word.empty() || word.size() > longest || (word[0] >= '0' && word[0] <= '9')) return false;
    for (char c : word)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return true;
}

/// What is wrong with the name, or "".
inline std::string metric_name_fault(std::string_view name, std::uint32_t kind) {
    constexpr std::size_t longest = 100;
    if (!is_metric_word(name, longest))
        return "its name is not 1 to 100 letters, digits and underscores, beginning with no digit";
    for (std::string_view end : {"_bucket", "_sum", "_count", "_created", "_info"})
        if (name.ends_with(end)) return "its name ends in " + std::string(end) + ", which Prometheus has for its own";
    if (name.ends_with("_total") != (kind == BERTH_METRIC_COUNTER))
        return kind == BERTH_METRIC_COUNTER ? "it is a counter, whose name ends in _total"
                                            : "its name ends in _total, which is for counters";
    return {};
}

inline std::string metric_labels_fault(const berth_metric &metric) {
    constexpr std::size_t longest = 64;
    if (metric.labels_len > most_metric_labels) return "it has more than 8 labels";
    if (metric.labels_len > 0 && !metric.labels) return "it has labels, and points to none";
    std::vector<std::string_view> seen;
    for (std::uint64_t i = 0; i < metric.labels_len; ++i) {
        const auto label = metric_text(metric.labels[i]);
        if (!is_metric_word(label, longest))
            return "a label is not 1 to 64 letters, digits and underscores, beginning with no digit";
        const auto quoted = "label \"" + std::string(label) + "\" ";
        for (std::string_view taken : {"plugin", "profile", "overflow", "le", "quantile"})
            if (label == taken) return quoted + "is the host's or Prometheus' own; take another name";
        if (label.starts_with("__")) return quoted + "begins with __, which Prometheus has for its own";
        for (auto one : seen)
            if (one == label) return quoted + "stands there twice";
        seen.push_back(label);
    }
    return {};
}

inline std::string metric_bounds_fault(const berth_metric &metric) {
    if (metric.kind != BERTH_METRIC_HISTOGRAM)
        return metric.bounds_len == 0 ? "" : "it has bounds, which are for histograms";
    if (metric.bounds_len < 1 || metric.bounds_len > most_metric_bounds || !metric.bounds)
        return "a histogram has 1 to 64 bounds";
    for (std::uint64_t i = 0; i < metric.bounds_len; ++i)
        if (!std::isfinite(metric.bounds[i]) || (i > 0 && metric.bounds[i] <= metric.bounds[i - 1]))
            return "its bounds are not finite and growing";
    return {};
}

/// What is wrong with a definition whose size and flags are right, or "".
inline std::string metric_fault(const berth_metric &metric) {
    constexpr std::size_t longest_help = 512;
    if (metric.kind < BERTH_METRIC_COUNTER || metric.kind > BERTH_METRIC_HISTOGRAM)
        return "its kind is " + std::to_string(metric.kind) + ", which is no BERTH_METRIC_…";
    if (metric.most_series > most_metric_series) return "its most_series is more than 2,000";
    if (auto fault = metric_name_fault(metric_text(metric.name), metric.kind); !fault.empty()) return fault;
    const auto help = metric_text(metric.help);
    if (help.empty() || help.size() > longest_help || help.find_first_of("\r\n") != help.npos)
        return "its help is not one line of 1 to 512 bytes";
    if (auto fault = metric_labels_fault(metric); !fault.empty()) return fault;
    return metric_bounds_fault(metric);
}

/// The value of a label, cut before a character.
inline std::string_view cut_text(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) return text;
    while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xc0u) == 0x80u) --longest;
    return text.substr(0, longest);
}

}  // namespace berth::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a metric may be, for hosts and for the testing kit. Not for plugin authors.

#include <berth/draft/metrics.h>
#include <berth/detail/characters.hpp>
#include <berth/detail/numbers.hpp>
#include <berth/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::detail {

constexpr std::uint64_t most_metrics = 64, most_metric_labels = 8, most_metric_bounds = 64, longest_label_value = 128;
constexpr std::uint32_t most_metric_series = 2'000, usual_metric_series = 100;
// Of all metrics of an instance.
constexpr std::size_t most_metric_numbers = 10'000, most_metric_text = std::size_t{1} << 20u;

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
        const auto label = text_or_none(metric.labels[i]);
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

/// Whether this header knows it.
inline bool is_metric_kind(std::uint32_t kind) {
    return kind >= BERTH_METRIC_COUNTER && kind <= BERTH_METRIC_HISTOGRAM;
}

/// Whether it is UTF-8 without control characters. Prometheus refuses all that a scrape gives if any text is not.
inline bool is_plain_text(std::string_view text) {
    while (!text.empty()) {
        const auto size = character_size(text);
        if (size == 0 || is_control(text)) return false;
        text.remove_prefix(size);
    }
    return true;
}

/// What is wrong with a definition whose size, flags and kind are right, or "".
inline std::string metric_fault(const berth_metric &metric) {
    constexpr std::size_t longest_help = 512;
    if (auto fault = metric_name_fault(text_or_none(metric.name), metric.kind); !fault.empty()) return fault;
    const auto help = text_or_none(metric.help);
    if (help.empty() || help.size() > longest_help || !is_plain_text(help))
        return "its help is not 1 to 512 bytes of UTF-8 without control characters";
    if (auto fault = metric_labels_fault(metric); !fault.empty()) return fault;
    return metric_bounds_fault(metric);
}

/// What Prometheus knows it by: of "tea_total" and a histogram "tea" there can be only one.
inline std::string_view metric_family(std::string_view name) {
    constexpr std::string_view end = "_total";
    return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
}

/// How many series it may have.
inline std::uint32_t metric_series_limit(std::uint32_t most_series) {
    return most_series == 0 ? usual_metric_series : std::min(most_series, most_metric_series);
}
/// How many numbers a series has: of a histogram those up to each bound, those beyond, and the sum.
inline std::size_t metric_numbers(std::uint32_t kind, std::size_t bounds) {
    return kind == BERTH_METRIC_HISTOGRAM ? bounds + 2 : 1;
}

/// How many bytes its labels are in a scrape, where those of a histogram stand on the line of each bound, of +Inf, of
/// the sum and of the count.
inline std::size_t metric_text_size(std::uint32_t kind, std::size_t bounds, std::size_t labels) {
    return kind == BERTH_METRIC_HISTOGRAM ? labels * (bounds + 3) : labels;
}

/// As Prometheus has it.
inline std::string number_text(double n) {
    if (std::isinf(n)) return n > 0 ? "+Inf" : "-Inf";
    std::string text;
    append_number(text, n);
    return text;
}

/// The value of a label as it is kept: valid UTF-8 of at most 128 bytes, without control characters.
inline std::string label_value(std::string_view text) {
    constexpr std::string_view replacement = "\xef\xbf\xbd";
    std::string out;
    while (!text.empty()) {
        const auto size = character_size(text);
        const auto part = size == 0 || is_control(text) ? replacement : text.substr(0, size);
        if (out.size() + part.size() > longest_label_value) break;
        out += part;
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return out;
}

/// Appends `name="value"`, escaped as Prometheus' text format has it.
inline void append_label(std::string &labels, std::string_view name, std::string_view value) {
    if (!labels.empty()) labels += ',';
    labels.append(name).append("=\"");
    for (char c : value) {
        if (c == '\\' || c == '"') labels += '\\';
        labels += c;
    }
    labels += '"';
}
/// The labels of a series, which are different for different values.
inline std::string labels_text(std::span<const std::string> names, std::span<const berth_str> values) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) append_label(out, names[i], label_value(text_or_none(values[i])));
    return out;
}
constexpr std::string_view overflow_labels = "overflow=\"true\"";

/// `to` plus `n`, stopped at the last finite number.
inline double finite_sum(double to, double n) {
    constexpr double last = std::numeric_limits<double>::max();
    return std::clamp(to + n, -last, last);
}

}  // namespace berth::detail

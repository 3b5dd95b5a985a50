// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The match of one selector requirement: an operator and values against a label. The rules are those of Kubernetes
/// 1.36 (apimachinery/pkg/labels, selector.go, Requirement.Matches).

#include <berth/view/pods.h>
#include <berth/value.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace berth {

/// An operator of a requirement. Selectors of labels have the first four, selectors of nodes all six.
enum class SelectionOperator { In, NotIn, Exists, DoesNotExist, Gt, Lt };

/// The operator of that name in the `matchExpressions` of a node selector; nullopt if there is none. Case matters.
inline std::optional<SelectionOperator> node_selector_operator(std::string_view name) {
    using enum SelectionOperator;
    if (name == "In") return In;
    if (name == "NotIn") return NotIn;
    if (name == "Exists") return Exists;
    if (name == "DoesNotExist") return DoesNotExist;
    if (name == "Gt") return Gt;
    if (name == "Lt") return Lt;
    return std::nullopt;
}

/// The same of a label selector (metav1.LabelSelector), which knows neither Gt nor Lt.
inline std::optional<SelectionOperator> label_selector_operator(std::string_view name) {
    const auto op = node_selector_operator(name);
    return op == SelectionOperator::Gt || op == SelectionOperator::Lt ? std::nullopt : op;
}

/// The number that Gt and Lt compare, as Go's strconv.ParseInt(s, 10, 64) reads it: decimal digits with at most one
/// sign. Nullopt for blanks, for any other text, and for what does not fit.
inline std::optional<std::int64_t> parse_int64(std::string_view s) {
    if (s.starts_with('+')) {
        s.remove_prefix(1);
        if (s.starts_with('-')) return std::nullopt;
    }
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
    return n;
}

/// Does a label satisfy the requirement? `label`: its value; nullopt: the object does not have it. `values`: of In and
/// NotIn; `bound`: of Gt and Lt, which no label satisfies whose value is not a number. A missing label satisfies NotIn
/// and DoesNotExist alone. Allocates nothing.
inline bool holds(SelectionOperator op, std::optional<std::string_view> label, std::span<const std::string> values,
                  std::int64_t bound = 0) {
    const auto listed = [&] { return std::find(values.begin(), values.end(), *label) != values.end(); };
    switch (op) {
        case SelectionOperator::In: return label && listed();
        case SelectionOperator::NotIn: return !label || !listed();
        case SelectionOperator::Exists: return label.has_value();
        case SelectionOperator::DoesNotExist: return !label;
        default: {
            const auto n = label ? parse_int64(*label) : std::nullopt;
            return n && (op == SelectionOperator::Gt ? *n > bound : *n < bound);
        }
    }
}

/// The value of a label in a set sorted by key, in place; nullopt if the set does not have it.
inline std::optional<std::string_view> find_label(std::span<const berth_label> labels, std::string_view key) {
    const auto at = std::lower_bound(labels.begin(), labels.end(), key,
                                     [](const berth_label &l, std::string_view k) { return view(l.key) < k; });
    if (at == labels.end() || view(at->key) != key) return std::nullopt;
    return view(at->value);
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One requirement of a selector: an operator and values, read strictly and matched against labels. The rules and the
/// texts of faults are those of Kubernetes 1.36 (apimachinery/pkg/labels, selector.go, Requirement.Matches and
/// NewRequirement).

#include <berth/view/pods.h>
#include <berth/json.hpp>
#include <berth/label_syntax.hpp>
#include <berth/value.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

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

/// The operator of that name in a label selector (metav1.LabelSelector), which knows neither Gt nor Lt.
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

/// One requirement of a selector. It owns its texts.
struct Requirement {
    using Op = SelectionOperator;
    std::string key;
    Op op = Op::In;
    std::vector<std::string> values;
    std::int64_t bound = 0;  ///< of Gt and Lt

    /// Of the label `key`; nullopt: the object does not have it.
    bool matches(std::optional<std::string_view> label) const { return holds(op, label, values, bound); }
};

/// Why Kubernetes refuses a requirement: the field below it, such as `values[0][a]`, and the text.
struct RequirementFault {
    std::string where, text;
};

namespace detail {

/// A list of strings as a field error shows it; `empty`: how an empty one is written.
inline std::string quoted_list(const std::vector<std::string> &values, std::string_view empty) {
    if (values.empty()) return std::string(empty);
    std::string out = "[";
    for (std::size_t i = 0; i < values.size(); ++i) out += (i ? "," : "") + json_quote(values[i]);
    return out + "]";
}

/// How upstream's texts write an empty list of values that it reads from an expression as it is.
inline std::string_view no_values_of(Value e) { return e["values"].is_null() ? "null" : "[]"; }

/// Key and values of an expression; the operator is the caller's.
inline Requirement read_expression(Value e) {
    Requirement r;
    r.key = e["key"].string();
    for (std::size_t i = 0; i < e["values"].size(); ++i) r.values.emplace_back(e["values"].at(i).string());
    return r;
}

/// Distinct faults as Kubernetes joins them (Aggregate).
inline std::string aggregate(const std::vector<std::string_view> &faults) {
    if (faults.size() == 1) return std::string(faults[0]);
    std::string out;
    for (auto fault : faults) (out += out.empty() ? "[" : ", ") += fault;
    return out.empty() ? out : out + "]";
}

}  // namespace detail

/// What Kubernetes refuses about a requirement, in its order; reads `bound` of Gt and Lt. A value of these must be a
/// label value too: no sign. `no_values`: how texts write an empty list of values.
inline std::vector<RequirementFault> check_requirement(Requirement &r, std::string_view no_values = "null") {
    using Op = Requirement::Op;
    std::vector<RequirementFault> faults;
    auto invalid = [&](std::string where, const std::string &value, const std::string &why) {
        faults.push_back({std::move(where), "Invalid value: " + value + ": " + why});
    };
    auto at = [](std::size_t i) { return "values[" + std::to_string(i) + "]"; };
    if (auto why = label_key_fault(r.key); !why.empty()) invalid("key", json_quote(r.key), why);
    switch (r.op) {
        case Op::In:
        case Op::NotIn:
            if (r.values.empty())
                invalid("values", std::string(no_values), "for 'in', 'notin' operators, values set can't be empty");
            break;
        case Op::Exists:
        case Op::DoesNotExist:
            if (!r.values.empty())
                invalid("values", detail::quoted_list(r.values, no_values),
                        "values set must be empty for exists and does not exist");
            break;
        default:
            if (r.values.size() != 1)
                invalid("values", detail::quoted_list(r.values, no_values),
                        "for 'Gt', 'Lt' operators, exactly one value is required");
            for (std::size_t i = 0; i < r.values.size(); ++i)
                if (const auto n = parse_int64(r.values[i])) r.bound = *n;
                else invalid(at(i), json_quote(r.values[i]), "for 'Gt', 'Lt' operators, the value must be an integer");
    }
    for (std::size_t i = 0; i < r.values.size(); ++i)
        if (auto why = label_value_fault(r.values[i]); !why.empty())
            invalid(at(i) + "[" + r.key + "]", json_quote(r.values[i]), why);
    return faults;
}

/// The value of a label in a set sorted by key, in place; nullopt if the set does not have it.
inline std::optional<std::string_view> find_label(std::span<const berth_label> labels, std::string_view key) {
    const auto at = std::lower_bound(labels.begin(), labels.end(), key,
                                     [](const berth_label &l, std::string_view k) { return view(l.key) < k; });
    if (at == labels.end() || view(at->key) != key) return std::nullopt;
    return view(at->value);
}

}  // namespace berth

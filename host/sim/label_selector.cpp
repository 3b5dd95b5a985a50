// SPDX-License-Identifier: Apache-2.0
#include "sim/label_selector.h"

#include <berth/label_syntax.hpp>
#include <berth/node_selector.hpp>

namespace berth::sim {
namespace {

using model::Value;

/// A requirement of matchExpressions, as a node selector has it too, but without Gt and Lt.
bool satisfies(Value expression, const model::Members &labels) {
    if (!label_selector_operator(expression["operator"].string())) return false;
    NodeTerm one;
    parse_requirement(expression, "", one);
    const auto label = labels[expression["key"].string()];
    return one.faults.empty() && one.labels[0].matches(label ? std::optional(label.string()) : std::nullopt);
}

}  // namespace

bool selects(Value selector, const model::Members &labels) {
    if (selector.is_null()) return false;
    auto wanted = selector["matchLabels"], expressions = selector["matchExpressions"];
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        auto key = wanted.key(i), value = wanted.member(i).string();
        if (!label_key_fault(key).empty() || !label_value_fault(value).empty()) return false;
        auto label = labels[key];
        if (!label || label.string() != value) return false;
    }
    for (std::size_t i = 0; i < expressions.size(); ++i)
        if (!satisfies(expressions.at(i), labels)) return false;
    return true;
}

}  // namespace berth::sim

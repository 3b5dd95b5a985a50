// SPDX-License-Identifier: Apache-2.0
#include "sim/label_selector.h"

#include "model/node_rules.h"

namespace berth::sim {

using model::Value;

bool selects(Value selector, const model::Members &labels) {
    if (selector.is_null()) return false;
    auto wanted = selector["matchLabels"], expressions = selector["matchExpressions"];
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        auto label = labels[wanted.key(i)];
        if (!label || label.string() != wanted.member(i).string()) return false;
    }
    for (std::size_t i = 0; i < expressions.size(); ++i)
        if (!model::label_matches(expressions.at(i), labels)) return false;
    return true;
}

}  // namespace berth::sim

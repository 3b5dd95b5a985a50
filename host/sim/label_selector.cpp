// SPDX-License-Identifier: Apache-2.0
#include "sim/label_selector.h"

#include <charconv>

namespace berth::sim {

using model::Value;

bool label_matches(Value requirement, Value labels) {
    auto label = labels[requirement["key"].string()];
    auto op = requirement["operator"].string();
    auto values = requirement["values"];
    bool in = false;
    for (std::size_t i = 0; i < values.size(); ++i) in = in || (label && values.at(i).string() == label.string());
    if (op == "In") return in;
    if (op == "NotIn") return !in;
    if (op == "Exists") return static_cast<bool>(label);
    if (op == "DoesNotExist") return !label;
    std::int64_t have = 0, want = 0;
    auto number = [](std::string_view s, std::int64_t &n) {
        auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
        return error == std::errc{} && end == s.data() + s.size();
    };
    if (!number(label.string(), have) || values.size() != 1 || !number(values.at(0).string(), want)) return false;
    return op == "Gt" ? have > want : have < want;
}

bool selects(Value selector, Value labels) {
    if (selector.is_null()) return false;
    auto wanted = selector["matchLabels"], expressions = selector["matchExpressions"];
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        auto label = labels[wanted.key(i)];
        if (!label || label.string() != wanted.member(i).string()) return false;
    }
    for (std::size_t i = 0; i < expressions.size(); ++i)
        if (!label_matches(expressions.at(i), labels)) return false;
    return true;
}

}  // namespace berth::sim

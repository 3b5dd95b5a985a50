// SPDX-License-Identifier: Apache-2.0
#include "model/node_rules.h"

#include <charconv>

namespace berth::model {

bool label_matches(Value requirement, const Members &labels) {
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

bool term_matches(Value term, const Members &labels, std::string_view node_name) {
    auto expressions = term["matchExpressions"], fields = term["matchFields"];
    if (expressions.size() == 0 && fields.size() == 0) return false;
    for (std::size_t i = 0; i < expressions.size(); ++i)
        if (!label_matches(expressions.at(i), labels)) return false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        bool same = fields.at(i)["values"].at(0).string() == node_name;
        if (same != (fields.at(i)["operator"].string() == "In")) return false;
    }
    return true;
}

bool tolerates(const berth_toleration &t, const berth_taint &taint) {
    if (t.effect.len > 0 && view(t.effect) != view(taint.effect)) return false;
    if (t.key.len > 0 && view(t.key) != view(taint.key)) return false;
    auto op = view(t.op);
    return op == "Exists" || ((op.empty() || op == "Equal") && view(t.value) == view(taint.value));
}

}  // namespace berth::model

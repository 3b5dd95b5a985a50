// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Selectors as requests write them, `app=web,tier in (a,b),!old`: their reader. Not for plugin authors.

#include <berth/requirement.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::detail {

/// Reads the requirements of a selector (apimachinery/pkg/labels, selector.go, Parser), without a check of keys and
/// values. Without recursion; bounded by the text.
class SelectorText {
    std::string_view left_;
    std::string why_;

    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
    void skip() {
        while (!left_.empty() && is_blank(left_.front())) left_.remove_prefix(1);
    }
    bool take(std::string_view token) {
        skip();
        if (!left_.starts_with(token)) return false;
        left_.remove_prefix(token.size());
        return true;
    }
    std::string_view word() {
        skip();
        std::size_t n = 0;
        while (n < left_.size() && !is_blank(left_[n]) &&
               std::string_view("=!(),<>").find(left_[n]) == std::string::npos)
            ++n;
        const auto out = left_.substr(0, n);
        left_.remove_prefix(n);
        return out;
    }
    bool fail(std::string_view expected) {
        why_ = "unable to parse the selector: found '" + std::string(left_.substr(0, 32)) +
               "', expected: " + std::string(expected);
        return false;
    }
    bool values(Requirement &into) {
        if (!take("(")) return fail("'('");
        do into.values.emplace_back(word());
        while (take(","));
        return take(")") || fail("',', or ')'");
    }
    bool requirement(Requirement &out) {
        using Op = SelectionOperator;
        const bool absent = take("!");
        out.key = word();
        if (out.key.empty()) return fail("identifier");
        skip();
        if (absent || left_.empty() || left_.front() == ',') {
            out.op = absent ? Op::DoesNotExist : Op::Exists;
            return true;
        }
        for (auto [token, op] :
             {std::pair{"==", Op::In}, {"!=", Op::NotIn}, {"=", Op::In}, {">", Op::Gt}, {"<", Op::Lt}})
            if (take(token)) {
                out.op = op;
                out.values.emplace_back(word());
                return true;
            }
        const auto name = word();
        if (name != "in" && name != "notin") return fail("in, notin, =, ==, !=, gt, lt");
        out.op = name == "in" ? Op::In : Op::NotIn;
        return values(out);
    }

public:
    /// Nullopt: `why` says what is wrong.
    static std::optional<std::vector<Requirement>> read(std::string_view text, std::string &why) {
        SelectorText it;
        it.left_ = text;
        std::vector<Requirement> out;
        it.skip();
        while (!it.left_.empty()) {
            if (!out.empty() && !it.take(",")) it.fail("','");
            else if (it.requirement(out.emplace_back())) it.skip();
            if (it.why_.empty()) continue;
            why = it.why_;
            return std::nullopt;
        }
        return out;
    }
};

/// The requirements of a label selector; nullopt: `why` says what is wrong.
inline std::optional<std::vector<Requirement>> read_label_selector(std::string_view text, std::string &why) {
    auto all = SelectorText::read(text, why);
    if (!all) return all;
    for (auto &one : *all)
        if (auto faults = check_requirement(one); !faults.empty()) {
            why = faults.front().where + ": " + faults.front().text;
            return std::nullopt;
        }
    return all;
}

}  // namespace berth::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The syntax of label keys, label values and qualified names. The texts are those of Kubernetes 1.36.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

namespace detail {

/// The characters of a label key's name and of a non-empty label value.
inline bool label_characters(std::string_view s) {
    auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
    return !s.empty() && alnum(s.front()) && alnum(s.back()) &&
           std::all_of(s.begin(), s.end(), [&](char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; });
}

inline bool dns_subdomain(std::string_view s) {
    auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    for (std::size_t i = 0; i < s.size(); ++i) {
        bool edge = i == 0 || i + 1 == s.size() || s[i - 1] == '.' || s[i + 1] == '.';
        if (!alnum(s[i]) && (edge || (s[i] != '-' && s[i] != '.'))) return false;
    }
    return !s.empty();
}

/// Joins what is wrong with one field.
inline std::string joined(const std::vector<std::string> &texts) {
    std::string out;
    for (const auto &text : texts) out += (out.empty() ? "" : "; ") + text;
    return out;
}

constexpr std::size_t label_length = 63, subdomain_length = 253;

}  // namespace detail

/// What is wrong with a label key or another qualified name (apimachinery/pkg/api/validate/content IsLabelKey).
inline std::vector<std::string> label_key_faults(std::string_view key) {
    static const std::string characters =
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
        "character "
        "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    if (std::count(key.begin(), key.end(), '/') > 1)
        return {"a valid label key " + characters +
                " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    std::vector<std::string> wrong;
    auto slash = key.find('/');
    if (slash != std::string_view::npos) {
        auto prefix = key.substr(0, slash);
        if (prefix.empty()) wrong.emplace_back("prefix part must be non-empty");
        if (prefix.size() > detail::subdomain_length) wrong.emplace_back("prefix part must be no more than 253 bytes");
        if (!prefix.empty() && !detail::dns_subdomain(prefix))
            wrong.emplace_back(
                "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
                "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
                "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
        key.remove_prefix(slash + 1);
    }
    if (key.empty()) wrong.emplace_back("name part must be non-empty");
    else if (key.size() > detail::label_length) wrong.emplace_back("name part must be no more than 63 bytes");
    if (!detail::label_characters(key)) wrong.push_back("name part " + characters);
    return wrong;
}

/// The same in one text; empty if nothing is wrong.
inline std::string label_key_fault(std::string_view key) { return detail::joined(label_key_faults(key)); }

/// What is wrong with a label value; empty if nothing (content IsLabelValue).
inline std::string label_value_fault(std::string_view value) {
    std::vector<std::string> wrong;
    if (value.size() > detail::label_length) wrong.emplace_back("must be no more than 63 bytes");
    if (!value.empty() && !detail::label_characters(value))
        wrong.emplace_back(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
            "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
    return detail::joined(wrong);
}

}  // namespace berth

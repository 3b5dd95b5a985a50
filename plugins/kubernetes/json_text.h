// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A search for a string in JSON text from the API server, without a parser.

#include <initializer_list>
#include <optional>
#include <string_view>

namespace kubernetes {

/// The string at `path` in a JSON text that the API server has written, such as its answer to a creation; nothing if
/// there is none, or if it has escapes, which no name and no uid has.
inline std::optional<std::string_view> json_string_at(std::string_view text,
                                                      std::initializer_list<std::string_view> path) {
    const auto *wanted = path.begin();
    std::size_t depth = 0;  ///< of what is open
    std::size_t found = 0;  ///< how many objects of the path are open
    bool is_next = false;   ///< the value at hand is of the key that was wanted
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == ':') continue;
        if (is_next && c != '{' && c != '"') return std::nullopt;
        if (c == '{' || c == '[') {
            ++depth;
            // The root, and then the value of each wanted key.
            if (c == '{' && (depth == 1 || is_next)) ++found;
            is_next = false;
            continue;
        }
        if (c == '}' || c == ']') {
            if (depth == found) return std::nullopt;  // the object that should have it has ended
            --depth;
            continue;
        }
        if (c != '"') continue;  // a number, a literal
        const auto begin = at + 1;
        for (++at; at < text.size() && text[at] != '"'; ++at)
            if (text[at] == '\\') ++at;
        if (at >= text.size()) return std::nullopt;
        const auto string = text.substr(begin, at - begin);
        if (is_next) {
            if (wanted != path.end() || string.find('\\') != string.npos) return std::nullopt;
            return string;
        }
        // A key of the innermost object that is wanted, if a colon follows.
        const auto next = text.find_first_not_of(" \n\r\t", at + 1);
        if (depth != found || next == text.npos || text[next] != ':') continue;
        is_next = wanted != path.end() && string == *wanted;
        if (is_next) ++wanted;
    }
    return std::nullopt;
}

}  // namespace kubernetes

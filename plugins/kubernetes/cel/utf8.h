// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A UTF-8 decoder with Go's rules.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// UTF-8 as Go reads it: a byte that belongs to no character is the character U+FFFD.
namespace kubernetes::cel::utf8 {

inline constexpr char32_t replacement = 0xfffd;

struct Character {
    char32_t code = 0;
    std::size_t bytes = 1;
    bool valid = true;
};

/// The first of `text`, which is not empty.
inline Character first(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto lead = byte(0);
    if (lead < 0x80) return {lead, 1, true};
    const Character invalid{replacement, 1, false};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return invalid;
    char32_t code = bytes == 2 ? lead & 0x1fU : bytes == 3 ? lead & 0x0fU : lead & 0x07U;
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return invalid;
        code = (code << 6) | (byte(i) & 0x3fU);
    }
    static constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return invalid;
    return {code, bytes, true};
}

inline std::size_t length(std::string_view text) {
    std::size_t length = 0;
    for (; !text.empty(); ++length) text.remove_prefix(first(text).bytes);
    return length;
}

inline bool valid(std::string_view text) {
    for (; !text.empty(); text.remove_prefix(first(text).bytes))
        if (!first(text).valid) return false;
    return true;
}

inline void append(std::string &text, char32_t code) {
    const auto add = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        add(code);
        return;
    }
    if (code < 0x800) {
        add(0xc0 | (code >> 6));
    } else {
        if (code < 0x10000) {
            add(0xe0 | (code >> 12));
        } else {
            add(0xf0 | (code >> 18));
            add(0x80 | ((code >> 12) & 0x3f));
        }
        add(0x80 | ((code >> 6) & 0x3f));
    }
    add(0x80 | (code & 0x3f));
}

inline std::vector<char32_t> decode(std::string_view text) {
    std::vector<char32_t> characters;
    for (; !text.empty(); text.remove_prefix(first(text).bytes)) characters.push_back(first(text).code);
    return characters;
}

}  // namespace kubernetes::cel::utf8

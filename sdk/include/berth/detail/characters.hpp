// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Texts and their characters of UTF-8, for what plugins write to the log and count. Not for plugin authors.

#include <berth/text.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth::detail {

/// "" if it claims bytes without pointing to any.
constexpr std::string_view text_or_none(const char *at, std::uint64_t size) {
    return at ? std::string_view(at, static_cast<std::size_t>(size)) : std::string_view{};
}
constexpr std::string_view text_or_none(const berth_str &text) { return text_or_none(text.ptr, text.len); }

/// The bytes of the character that the text begins with; 0 if it begins with none, or is empty.
constexpr std::size_t character_size(std::string_view text) {
    auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(0), second = byte(1);
    auto goes_on = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
    if (text.empty()) return 0;
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return goes_on(1) ? 2 : 0;
    // Neither longer than need be, nor a surrogate, nor beyond U+10FFFF.
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)) return 0;
    if (first >= 0xe0 && first < 0xf0) return goes_on(1) && goes_on(2) ? 3 : 0;
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) return 0;
    if (first >= 0xf0 && first < 0xf5) return goes_on(1) && goes_on(2) && goes_on(3) ? 4 : 0;
    return 0;
}

/// Whether the character that the text begins with is a control: U+0000 to U+001F, U+007F to U+009F.
constexpr bool is_control(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.empty() ? 'a' : text[0]);
    if (first < 0x20 || first == 0x7f) return true;
    return first == 0xc2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0;
}

/// Cut before a character.
constexpr std::string_view cut_text(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) return text;
    while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xc0u) == 0x80u) --longest;
    return text.substr(0, longest);
}

}  // namespace berth::detail

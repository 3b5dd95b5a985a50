// SPDX-License-Identifier: Apache-2.0
#include "report/terminal_text.h"

#include <algorithm>
#include <cstdint>

namespace berth::report {
namespace {

constexpr std::string_view hex = "0123456789abcdef";

bool is_plain(char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t'; }

/// How many bytes a character has that begins so; 0: none does.
std::size_t length_of(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return 2;
    if (first >= 0xe0 && first < 0xf0) return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

std::uint32_t code_of(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    std::uint32_t code = character.size() == 1 ? first : first & (0x7fu >> character.size());
    for (char c : character.substr(1)) code = (code << 6) | (static_cast<unsigned char>(c) & 0x3fu);
    return code;
}

/// C0 and C1, DEL, line and paragraph separators, and what turns the direction of writing (Unicode's Bidi_Control).
bool is_obeyed(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || (code >= 0x200e && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void append_code(std::string &out, std::uint32_t code) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += hex[(code >> shift) & 15];
}

}  // namespace

void TerminalText::end_character(std::string &out) {
    for (char c : begun_) ((out += "\\x") += hex[static_cast<unsigned char>(c) >> 4]) += hex[c & 15];
    begun_.clear();
}

void TerminalText::take(unsigned char byte, std::string &out) {
    const bool goes_on = (byte & 0xc0) == 0x80;
    if (!begun_.empty() && !goes_on) end_character(out);
    begun_ += static_cast<char>(byte);
    const auto length = length_of(static_cast<unsigned char>(begun_.front()));
    if (length == 0) return end_character(out);
    if (begun_.size() < length) return;
    if (const auto code = code_of(begun_); is_obeyed(code) && !is_plain(static_cast<char>(byte)))
        append_code(out, code);
    else out += begun_;
    begun_.clear();
}

void TerminalText::add(std::string_view text, std::string &out) {
    while (!text.empty()) {
        const auto plain =
            begun_.empty() ? static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin()) : 0;
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) return;
        take(static_cast<unsigned char>(text.front()), out);
        text.remove_prefix(1);
    }
}

void TerminalText::end(std::string &out) { end_character(out); }

std::string terminal_text(std::string_view text) {
    std::string out;
    TerminalText all;
    all.add(text, out);
    all.end(out);
    return out;
}

}  // namespace berth::report

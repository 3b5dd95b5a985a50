// SPDX-License-Identifier: Apache-2.0
// The writer of values as YAML.
#include "decode/json_text.h"
#include "decode/write.h"

#include <algorithm>
#include <array>

namespace berth::decode {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether a reader of YAML 1.1 (https://yaml.org/type/) might take the word for a boolean, null or a merge key.
bool is_word_with_meaning(std::string_view s) {
    static constexpr std::array<std::string_view, 12> words{"y",    "n",     "yes",  "no", "on", "off",
                                                            "true", "false", "null", "~",  "<<", "="};
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) {
        return w.size() == s.size() &&
               std::equal(w.begin(), w.end(), s.begin(), [](char a, char b) { return a == lower(b); });
    });
}

/// Whether the text may stand without quotes and is a string for every reader. What begins like a number, a date or
/// a base-60 integer of YAML 1.1 is quoted as a whole class: that is always right, and seldom too much.
bool is_plain(std::string_view s) {
    if (s.empty() || s.front() == ' ' || s.back() == ' ' || s.back() == ':') return false;
    char c = s.front();
    if (std::string_view{"-?:,[]{}#&*!|>'\"%@`=<~+."}.find(c) != std::string_view::npos) return false;
    if (is_word_with_meaning(s)) return false;
    bool number = c >= '0' && c <= '9';
    if (number && s.find_first_not_of("0123456789abcdefABCDEFxXoOtTzZ_.:+- ") == std::string_view::npos) return false;
    if (s.find(": ") != std::string_view::npos || s.find(" #") != std::string_view::npos) return false;
    return std::all_of(s.begin(), s.end(), [](char b) {
        auto u = static_cast<unsigned char>(b);
        return u >= 0x20 && u != 0x7F;
    });
}

/// Bytes beyond ASCII that YAML counts as line breaks or as not printable: U+0080 to U+009F, U+2028, U+2029, U+FEFF,
/// U+FFFE and U+FFFF.
bool has_odd_unicode(std::string_view s) {
    for (std::size_t i = 0; i + 1 < s.size(); ++i) {
        auto three = s.substr(i, 3);
        if (s[i] == '\xC2' && static_cast<unsigned char>(s[i + 1]) < 0xA0) return true;
        if (three == "\u2028" || three == "\u2029" || three == "\uFEFF" || three == "\xEF\xBF\xBE" ||
            three == "\xEF\xBF\xBF")
            return true;
    }
    return false;
}

/// Whether a text of several lines can be a literal block.
bool is_block(std::string_view s) {
    if (s.find('\n') == std::string_view::npos || s.front() == ' ' || s.front() == '\n' || s.front() == '\t')
        return false;
    return std::all_of(s.begin(), s.end(), [](char b) {
        auto u = static_cast<unsigned char>(b);
        return (u >= 0x20 && u != 0x7F) || b == '\n' || b == '\t';
    });
}

void append_quoted(std::string &out, std::string_view s) {
    if (!has_odd_unicode(s)) return append_json_string(out, s);
    // YAML's escapes for these are JSON's.
    std::string json;
    append_json_string(json, s);
    for (std::size_t i = 0; i < json.size(); ++i) {
        std::string_view rest = std::string_view{json}.substr(i);
        auto second = rest.size() > 1 ? static_cast<unsigned char>(rest[1]) : 0u;
        static constexpr std::string_view hex = "0123456789abcdef";
        if (rest[0] == '\xC2' && second < 0xA0) ((out += "\\u00") += hex[second >> 4]) += hex[second & 15], i += 1;
        else if (rest.starts_with("\u2028")) out += "\\u2028", i += 2;
        else if (rest.starts_with("\u2029")) out += "\\u2029", i += 2;
        else if (rest.starts_with("\uFEFF")) out += "\\ufeff", i += 2;
        else if (rest.starts_with("\xEF\xBF\xBE")) out += "\\ufffe", i += 2;
        else if (rest.starts_with("\xEF\xBF\xBF")) out += "\\uffff", i += 2;
        else out += rest[0];
    }
}

void indent(std::string &out, int level) { out.append(static_cast<std::size_t>(level) * 2, ' '); }

void append_block(std::string &out, std::string_view s, int level) {
    std::size_t newlines = s.size() - std::min(s.size(), s.find_last_not_of('\n') + 1);
    out += newlines == 0 ? "|-" : newlines == 1 ? "|" : "|+";
    if (newlines > 0) s.remove_suffix(1);
    while (true) {
        auto end = s.find('\n');
        out += '\n';
        if (end != 0 && !s.empty()) indent(out, level);
        out += s.substr(0, end);
        if (end == std::string_view::npos) return;
        s.remove_prefix(end + 1);
    }
}

void append_string(std::string &out, std::string_view s, int level) {
    if (find_bad_utf8(s) || has_odd_unicode(s)) append_quoted(out, s);
    else if (is_plain(s)) out += s;
    else if (is_block(s)) append_block(out, s, std::max(level, 1));
    else append_quoted(out, s);
}

void append_key(std::string &out, std::string_view s) {
    constexpr std::size_t longest = 120;  // a key without '?' has at most 1024 characters
    if (s.size() > longest) out += "? ";
    if (is_plain(s) && !find_bad_utf8(s) && !has_odd_unicode(s)) out += s;
    else append_quoted(out, s);
}

/// Appends what is neither a string nor a collection with content.
void append_rest(std::string &out, model::Value v) {
    auto text = to_json(v);
    // YAML 1.1 takes 1e+22 for a string: its numbers with an exponent have a point.
    auto exponent = v.kind() == BERTH_VALUE_DOUBLE ? text.find('e') : std::string::npos;
    if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
    out += text;
}

/// Deeper than that a value is written as JSON, which is YAML too: each level of a block indents all that is in it.
constexpr int levels_in_blocks = 100;

/// Appends `v` at `level`. `inside` is true when the line has already begun with "- ".
void append_value(std::string &out, model::Value v, int level, bool inside) {
    for (std::size_t i = 0; i < v.size(); ++i) {
        if (!inside || i > 0) indent(out, level);
        auto part = v.is_object() ? v.member(i) : v.at(i);
        if (v.is_object()) {
            append_key(out, v.key(i));
            if (v.key(i).size() > 120) out += '\n', indent(out, level);
            out += ':';
        } else {
            out += '-';
        }
        if (part.size() == 0 || level >= levels_in_blocks) {
            out += ' ';
            if (part.is_string()) append_string(out, part.string(), level + 1);
            else append_rest(out, part);
            out += '\n';
        } else if (v.is_object()) {
            // kubectl does not indent the list of a member.
            out += '\n';
            append_value(out, part, part.is_array() ? level : level + 1, false);
        } else {
            out += ' ';
            append_value(out, part, level + 1, true);
        }
    }
}

}  // namespace

std::string to_yaml(model::Value v) {
    std::string out;
    if (v.size() > 0) {
        append_value(out, v, 0, false);
        return out;
    }
    if (v.is_string()) append_string(out, v.string(), 1);
    else append_rest(out, v);
    return out += '\n';
}

}  // namespace berth::decode

// SPDX-License-Identifier: Apache-2.0
#include "decode/write.h"

#include "decode/json_text.h"

#include <charconv>
#include <cmath>

namespace berth::decode {
namespace {

void append_number(std::string &out, model::Value v) {
    char text[32];
    auto end = text;
    if (auto n = v.integer()) {
        end = std::to_chars(text, text + sizeof text, *n).ptr;
    } else {
        double d = v.number().value_or(0);
        if (!std::isfinite(d)) {
            out += "null";
            return;
        }
        end = std::to_chars(text, text + sizeof text, d).ptr;
    }
    out.append(text, end);
}

void append_code(std::string &out, unsigned char c) {
    static constexpr std::string_view hex = "0123456789abcdef";
    ((out += "\\u00") += hex[c >> 4]) += hex[c & 15];
}

/// Appends what has no escapes in JSON as it is, and the rest escaped. `s` is UTF-8.
void append_escaped(std::string &out, std::string_view s) {
    std::size_t done = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        auto c = static_cast<unsigned char>(s[i]);
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7F) continue;
        out.append(s, done, i - done);
        done = i + 1;
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\t': out += "\\t"; break;
            case '\r': out += "\\r"; break;
            default: append_code(out, c);
        }
    }
    out.append(s, done);
}

void new_line(std::string &out, int indent, int level) {
    if (indent <= 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(level), ' ');
}

void append_value(std::string &out, model::Value v, int indent, int level) {
    switch (v.kind()) {
        case BERTH_VALUE_BOOL: out += v.is_true() ? "true" : "false"; return;
        case BERTH_VALUE_INT:
        case BERTH_VALUE_DOUBLE: append_number(out, v); return;
        case BERTH_VALUE_STRING: append_json_string(out, v.string()); return;
        case BERTH_VALUE_ARRAY:
        case BERTH_VALUE_OBJECT: break;
        default: out += "null"; return;
    }
    bool object = v.is_object();
    out += object ? '{' : '[';
    for (std::size_t i = 0; i < v.size(); ++i) {
        if (i) out += ',';
        new_line(out, indent, level + 1);
        if (object) {
            append_json_string(out, v.key(i));
            out += indent > 0 ? ": " : ":";
        }
        append_value(out, object ? v.member(i) : v.at(i), indent, level + 1);
    }
    if (v.size()) new_line(out, indent, level);
    out += object ? '}' : ']';
}

}  // namespace

void append_json_string(std::string &out, std::string_view s) {
    out += '"';
    while (auto bad = find_bad_utf8(s)) {
        append_escaped(out, s.substr(0, *bad));
        out += "\uFFFD";
        s.remove_prefix(*bad + 1);
    }
    append_escaped(out, s);
    out += '"';
}

void append_json(std::string &out, model::Value v, int indent) { append_value(out, v, indent, 0); }

std::string to_json(model::Value v, int indent) {
    std::string out;
    append_json(out, v, indent);
    return out;
}

}  // namespace berth::decode

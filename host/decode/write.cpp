// SPDX-License-Identifier: Apache-2.0
#include "decode/write.h"

#include "decode/json_text.h"

#include <charconv>
#include <cmath>
#include <vector>

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

void append_scalar(std::string &out, model::Value v) {
    switch (v.kind()) {
        case BERTH_VALUE_BOOL: out += v.is_true() ? "true" : "false"; return;
        case BERTH_VALUE_INT:
        case BERTH_VALUE_DOUBLE: return append_number(out, v);
        case BERTH_VALUE_STRING: return append_json_string(out, v.string());
        default: out += "null";
    }
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

/// With a list of what is open, not by recursion: what Go reads has up to 10,000 levels.
void append_json(std::string &out, model::Value v, int indent) {
    struct Open {
        model::Value v;
        std::size_t next;
    };
    std::vector<Open> open;
    auto begin = [&](model::Value one) {
        if (!one.is_array() && !one.is_object()) return append_scalar(out, one);
        out += one.is_object() ? '{' : '[';
        open.push_back({one, 0});
    };
    begin(v);
    while (!open.empty()) {
        const auto level = static_cast<int>(open.size());
        const auto of = open.back().v;
        const auto i = open.back().next++;
        if (i == of.size()) {
            open.pop_back();
            if (i > 0) new_line(out, indent, level - 1);
            out += of.is_object() ? '}' : ']';
            continue;
        }
        if (i > 0) out += ',';
        new_line(out, indent, level);
        if (!of.is_object()) {
            begin(of.at(i));
            continue;
        }
        append_json_string(out, of.key(i));
        out += indent > 0 ? ": " : ":";
        begin(of.member(i));
    }
}

std::string to_json(model::Value v, int indent) {
    std::string out;
    append_json(out, v, indent);
    return out;
}

}  // namespace berth::decode

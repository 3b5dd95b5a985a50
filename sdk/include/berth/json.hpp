// SPDX-License-Identifier: Apache-2.0
#pragma once

/// JSON text of values, and names of their kinds for messages. The texts are the caller's own.

#include <berth/detail/numbers.hpp>
#include <berth/value.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

/// JSON text of a string.
inline std::string json_quote(std::string_view s) {
    std::string out = "\"";
    for (char c : s) {
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    char hex[8];
                    std::snprintf(hex, sizeof hex, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
                    out += hex;
                } else {
                    out += c;
                }
        }
    }
    return out + "\"";
}

namespace detail {

inline std::string json_scalar(Value v) {
    switch (v.kind()) {
        case BERTH_VALUE_BOOL: return v.is_true() ? "true" : "false";
        case BERTH_VALUE_INT: return std::to_string(*v.integer());
        case BERTH_VALUE_DOUBLE: {
            std::string text;
            append_number(text, *v.number());
            return text;
        }
        case BERTH_VALUE_STRING: return json_quote(v.string());
        default: return "null";
    }
}

}  // namespace detail

/// JSON text of a value. Objects may have 10,000 levels, so that what goes over them must not call itself for each:
/// this does not.
inline std::string json(Value v) {
    struct Open {
        Value v;
        std::size_t next;
    };
    std::vector<Open> open;
    std::string out;
    auto begin = [&](Value one) {
        if (!one.is_array() && !one.is_object()) return void(out += detail::json_scalar(one));
        out += one.is_array() ? '[' : '{';
        open.push_back({one, 0});
    };
    begin(v);
    while (!open.empty()) {
        const Value in = open.back().v;
        const std::size_t i = open.back().next++;
        if (i == in.size()) {
            out += in.is_array() ? ']' : '}';
            open.pop_back();
            continue;
        }
        if (i > 0) out += ',';
        if (in.is_object()) out += json_quote(in.key(i)) + ':';
        begin(in.is_object() ? in.member(i) : in.at(i));
    }
    return out;
}

/// What a value is, for messages: "a string", "a number".
inline std::string_view kind_name(Value v) {
    switch (v.kind()) {
        case BERTH_VALUE_BOOL: return "a boolean";
        case BERTH_VALUE_INT: return "a number";
        case BERTH_VALUE_DOUBLE:
            return v.number().value_or(0) >= 0x1p63 || v.number().value_or(0) < -0x1p63 ? "a number that is too large"
                                                                                        : "a number with a fraction";
        case BERTH_VALUE_STRING: return "a string";
        case BERTH_VALUE_ARRAY: return "a list";
        case BERTH_VALUE_OBJECT: return "an object";
        default: return "nothing";
    }
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A log line with fields as it is written: by hosts, by the testing kit, and for a host that takes one text. Not for
/// plugin authors.

#include <berth/detail/characters.hpp>
#include <berth/detail/numbers.hpp>
#include <berth/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace berth::detail {

constexpr std::size_t longest_field_key = 64, longest_field_text = 1'024, most_fields = 32;
constexpr int deepest_field = 8;

inline bool is_field_key(std::string_view key) {
    constexpr std::string_view others = "_.-/";
    auto may_stand = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               others.find(c) != others.npos;
    };
    return !key.empty() && key.size() <= longest_field_key && std::ranges::all_of(key, may_stand);
}

class LogLine {
    std::string text_;
    bool cut_ = false;

    /// A control character, as JSON has it.
    void append_control(std::string_view character) {
        constexpr std::string_view hex = "0123456789abcdef", names = "n\nr\rt\t";
        const auto name = character.size() == 1 ? names.find(character[0]) : names.npos;
        if (name != names.npos && name % 2 == 1) return (void)((text_ += '\\') += names[name - 1]);
        const auto code = static_cast<unsigned char>(character.back());
        ((text_ += "\\u00") += hex[code >> 4u]) += hex[code & 15u];
    }
    void quote(std::string_view text) {
        auto left = cut_text(text, longest_field_text);
        cut_ = cut_ || left.size() < text.size();
        text_ += '"';
        while (!left.empty()) {
            const auto size = character_size(left);
            const auto one = left.substr(0, std::max<std::size_t>(size, 1));
            if (size == 0) text_ += "\xef\xbf\xbd";
            else if (is_control(one)) append_control(one);
            else if (one == "\"" || one == "\\") (text_ += '\\') += one;
            else text_ += one;
            left.remove_prefix(one.size());
        }
        text_ += '"';
    }
    void append(const berth_value &value, int depth, std::size_t end) {
        switch (value.kind) {
            case BERTH_VALUE_BOOL: text_ += value.n.integer != 0 ? "true" : "false"; break;
            case BERTH_VALUE_INT: append_number(text_, value.n.integer); break;
            case BERTH_VALUE_DOUBLE:
                if (std::isfinite(value.n.number)) append_number(text_, value.n.number);
                else text_ += "null";
                break;
            case BERTH_VALUE_STRING: quote(text_or_none(value.ptr.string, value.n.len)); break;
            case BERTH_VALUE_ARRAY:
            case BERTH_VALUE_OBJECT: append_tree(value, depth, end); break;
            default: text_ += "null";
        }
    }
    /// JSON that ends where it gets too long.
    void append_tree(const berth_value &value, int depth, std::size_t end) {
        const bool array = value.kind == BERTH_VALUE_ARRAY;
        text_ += array ? '[' : '{';
        for (std::uint64_t i = 0; value.ptr.any && i < value.n.len; ++i) {
            if (depth == deepest_field || text_.size() >= end) {
                cut_ = true;
                break;
            }
            if (i > 0) text_ += ',';
            if (!array) {
                const auto &key = value.ptr.members[i].key;
                quote(text_or_none(key));
                text_ += ':';
            }
            append(array ? value.ptr.items[i] : value.ptr.members[i].value, depth + 1, end);
        }
        text_ += array ? ']' : '}';
    }

public:
    void message(std::string_view text) { quote(text); }
    /// Without quotes, for a host that takes one text.
    void bare_message(std::string_view text) { text_ += text; }
    void add(std::string_view key, std::string_view text) {
        text_.append(" ").append(key).append("=");
        quote(text);
    }
    /// Those whose keys are any, of the first ones.
    void add(std::span<const berth_kv> fields) {
        for (const auto &field : fields.first(std::min(fields.size(), most_fields))) {
            const auto key = text_or_none(field.key);
            if (!is_field_key(key)) continue;
            text_.append(" ").append(key).append("=");
            append(field.value, 0, text_.size() + longest_field_text);
        }
        cut_ = cut_ || fields.size() > most_fields;
    }
    std::string take() {
        if (cut_) text_ += " cut=true";
        return std::move(text_);
    }
};

}  // namespace berth::detail

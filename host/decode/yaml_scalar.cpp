// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace berth::decode {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

bool is_null(std::string_view s) { return s.empty() || s == "~" || s == "null" || s == "Null" || s == "NULL"; }
bool is_true(std::string_view s) { return s == "true" || s == "True" || s == "TRUE"; }
bool is_false(std::string_view s) { return s == "false" || s == "False" || s == "FALSE"; }

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_float(std::string_view s) {
    std::size_t i = 0, digits = 0;
    auto eat_digits = [&] {
        std::size_t n = 0;
        while (i < s.size() && digit(s[i])) ++i, ++n;
        return n;
    };
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
    digits = eat_digits();
    if (i < s.size() && s[i] == '.') {
        ++i;
        digits += eat_digits();
    }
    if (digits == 0) return false;
    if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
        ++i;
        if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
        if (eat_digits() == 0) return false;
    }
    return i == s.size();
}

bool is_infinite_or_nan(std::string_view s) {
    if (s == ".nan" || s == ".NaN" || s == ".NAN") return true;
    if (!s.empty() && (s.front() == '-' || s.front() == '+')) s.remove_prefix(1);
    return s == ".inf" || s == ".Inf" || s == ".INF";
}

/// An integer of the core schema. Decimal ones may have a sign, 0x and 0o may not.
std::optional<berth_value> integer(std::string_view s) {
    int base = 10;
    if (s.starts_with("0x")) base = 16;
    else if (s.starts_with("0o")) base = 8;
    auto digits = base == 10 ? s : s.substr(2);
    if (base == 10 && !digits.empty() && digits.front() == '+') {
        digits.remove_prefix(1);
        if (digits.empty() || !digit(digits.front())) return std::nullopt;
    }
    if (base != 10 && (digits.empty() || digits.front() == '-')) return std::nullopt;
    std::int64_t n = 0;
    const char *last = digits.data() + digits.size();
    auto [end, error] = std::from_chars(digits.data(), last, n, base);
    if (end != last || error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc{}) return model::make_int(n);
    double value = 0;
    if (base == 10) std::from_chars(digits.data(), last, value);
    else
        for (char c : digits) value = value * base + (digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    return model::make_double(value);
}

model::Result<berth_value> floating(std::string_view s) {
    auto digits = s.front() == '+' ? s.substr(1) : s;
    double value = 0;
    auto error = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec;
    bool tiny = s.find("e-") != s.npos || s.find("E-") != s.npos;
    if ((error != std::errc{} && !tiny) || !std::isfinite(value))
        return model::Error{"the number " + std::string{s} + " is out of range"};
    return model::make_double(value);
}

}  // namespace

model::Result<berth_value> plain_scalar(model::Arena &arena, std::string_view s) {
    // Most scalars are words: decide by the first character.
    char c = s.empty() ? '\0' : s.front();
    if (digit(c) || c == '-' || c == '+' || c == '.') {
        if (auto n = integer(s)) return *n;
        if (is_float(s)) return floating(s);
        if (is_infinite_or_nan(s))
            return model::Error{std::string{s} + " is no number that JSON knows; write it in quotes if it is a text"};
    } else if (s.size() <= 5) {
        if (is_null(s)) return model::make_null();
        if (is_true(s)) return model::make_bool(true);
        if (is_false(s)) return model::make_bool(false);
    }
    return model::make_string(arena, s);
}

std::string short_tag(std::string_view tag) {
    constexpr std::string_view core = "tag:yaml.org,2002:";
    if (tag.starts_with(core)) return "!!" + std::string{tag.substr(core.size())};
    return std::string{tag};
}

model::Result<berth_value> tagged_scalar(model::Arena &arena, std::string_view tag, std::string_view s) {
    if (tag == "?") return plain_scalar(arena, s);
    if (tag == "!") return model::make_string(arena, s);
    auto name = short_tag(tag);
    auto misfit = [&](std::string_view what) {
        return model::Error{'"' + std::string{s} + "\" is no " + std::string{what} + ", as its tag " + name + " says"};
    };
    if (name == "!!str") return model::make_string(arena, s);
    if (name == "!!null") return is_null(s) ? model::Result{model::make_null()} : misfit("null");
    if (name == "!!bool") {
        if (is_true(s) || is_false(s)) return model::make_bool(is_true(s));
        return misfit("boolean");
    }
    if (name == "!!int") {
        auto n = integer(s);
        return n ? model::Result{*n} : misfit("integer");
    }
    if (name == "!!float") {
        if (is_float(s)) return floating(s);
        if (auto n = integer(s)) return model::make_double(model::Value{&*n}.number().value_or(0));
        return misfit("number");
    }
    if (name == "!!map" || name == "!!seq") return model::Error{"a scalar has the tag " + name + " of a collection"};
    return model::Error{"unknown tag " + name +
                        "; only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq are understood"};
}

}  // namespace berth::decode

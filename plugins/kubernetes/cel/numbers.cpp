// SPDX-License-Identifier: Apache-2.0
#include "numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace kubernetes::cel {

namespace {

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool same_letters(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower, {},
                              [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
}

}  // namespace

bool read_int(std::string_view text, std::int64_t &into) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return false;
    }
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && stop == text.data() + text.size();
}

bool read_uint(std::string_view text, std::uint64_t &into) {
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && stop == text.data() + text.size();
}

bool read_double(std::string_view text, double &into) {
    auto digits = text;
    const bool negative = digits.starts_with('-');
    const bool with_sign = negative || digits.starts_with('+');
    if (with_sign) digits.remove_prefix(1);
    if (same_letters(digits, "inf") || same_letters(digits, "infinity")) {
        into = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        return true;
    }
    if (!with_sign && same_letters(digits, "nan")) {
        into = std::numeric_limits<double>::quiet_NaN();
        return true;
    }
    const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    if (hexadecimal) {
        digits.remove_prefix(2);
        if (digits.find_first_of("pP") == std::string_view::npos) return false;
    }
    std::string without;
    if (digits.find('_') != std::string_view::npos) {
        // Go takes underscores between digits.
        for (std::size_t i = 0; i < digits.size(); ++i) {
            if (digits[i] != '_') without += digits[i];
            else if (i == 0 || i + 1 == digits.size() || !is_hex(digits[i - 1]) || !is_hex(digits[i + 1])) return false;
        }
        digits = without;
    }
    if (digits.empty() || (digits.front() != '.' && !is_hex(digits.front()))) return false;
    if (!hexadecimal && digits.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
    double value = 0;
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                         hexadecimal ? std::chars_format::hex : std::chars_format::general);
    if (stop != digits.data() + digits.size()) return false;
    if (error == std::errc::result_out_of_range) {
        // Too small is zero, too large an error; from_chars does not say which.
        const auto exponent = digits.find_first_of(hexadecimal ? "pP" : "eE");
        const bool small = exponent != std::string_view::npos ? digits.substr(exponent + 1).starts_with('-')
                                                              : digits.starts_with('0') || digits.starts_with('.');
        if (!small) return false;
        value = 0;
    } else if (error != std::errc{}) {
        return false;
    }
    into = negative ? -value : value;
    return true;
}

bool read_bool(std::string_view text, bool &into) {
    static constexpr std::array<std::string_view, 6> yes{"1", "t", "T", "TRUE", "true", "True"};
    static constexpr std::array<std::string_view, 6> no{"0", "f", "F", "FALSE", "false", "False"};
    into = std::ranges::find(yes, text) != yes.end();
    return into || std::ranges::find(no, text) != no.end();
}

std::string printed(double real) {
    if (std::isnan(real)) return "NaN";
    if (std::isinf(real)) return real > 0 ? "+Inf" : "-Inf";
    std::array<char, 512> text{};
    auto end = std::to_chars(text.data(), text.data() + text.size(), real, std::chars_format::scientific).ptr;
    std::string result{text.data(), end};
    const auto mark = result.find('e');
    const int exponent = std::stoi(result.substr(mark + 1));
    if (exponent < -4 || exponent >= 6) return result;
    end = std::to_chars(text.data(), text.data() + text.size(), real, std::chars_format::fixed).ptr;
    return {text.data(), end};
}

}  // namespace kubernetes::cel

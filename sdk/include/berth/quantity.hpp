// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parser and arithmetic of resource quantities such as 100m and 1.5Gi (upstream: resource.Quantity). Formulas:
/// apimachinery v0.36.3, pkg/api/resource/{quantity,suffix,math,scale_int}.go (spec 6).

#include <berth/value.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace berth {

namespace detail::quantity {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

inline constexpr Wide widest = static_cast<Wide>(~UnsignedWide{0} >> 1);
inline constexpr Wide nanos_per_unit = 1'000'000'000;
inline constexpr std::int64_t most_int64 = std::numeric_limits<std::int64_t>::max();

/// `a * factor + digit`, all of them positive, at most `widest`.
inline Wide grown(Wide a, int factor, int digit) {
    if (a > (widest - digit) / factor) return widest;
    return a * factor + digit;
}

inline Wide times_ten_to(Wide a, std::int64_t power) {
    for (; power > 0 && a != 0 && a != widest; --power) a = grown(a, 10, 0);
    return a;
}

inline bool fits_int64(Wide a) { return a >= -Wide{most_int64} - 1 && a <= Wide{most_int64}; }

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline std::string_view take_digits(std::string_view &text) {
    auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    auto digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

struct Suffix {
    int base;
    std::int64_t exponent;
};

/// A decimal exponent of more than 32 bits is cut to 32, as upstream does.
inline std::optional<Suffix> suffix_of(std::string_view text) {
    struct Named {
        std::string_view name;
        Suffix suffix;
    };
    static constexpr std::array<Named, 16> named{{{"", {10, 0}},
                                                  {"n", {10, -9}},
                                                  {"u", {10, -6}},
                                                  {"m", {10, -3}},
                                                  {"k", {10, 3}},
                                                  {"M", {10, 6}},
                                                  {"G", {10, 9}},
                                                  {"T", {10, 12}},
                                                  {"P", {10, 15}},
                                                  {"E", {10, 18}},
                                                  {"Ki", {2, 10}},
                                                  {"Mi", {2, 20}},
                                                  {"Gi", {2, 30}},
                                                  {"Ti", {2, 40}},
                                                  {"Pi", {2, 50}},
                                                  {"Ei", {2, 60}}}};
    for (const auto &known : named)
        if (known.name == text) return known.suffix;
    if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
    text.remove_prefix(1);
    if (text.front() == '+') {
        text.remove_prefix(1);
        if (text.empty() || !is_digit(text.front())) return std::nullopt;
    }
    std::int64_t exponent = 0;
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return Suffix{10, static_cast<std::int32_t>(exponent)};
}

}  // namespace detail::quantity

/// An exact amount with a floor of one nano: what is smaller and not zero counts as one nano. Sums and comparisons are
/// exact up to 10^29; beyond that, where no real amount is, all amounts of one sign are alike.
class Quantity {
    using Wide = detail::quantity::Wide;

    Wide nano_ = 0;
    std::int32_t scale_ = 0;  ///< power of ten that upstream would keep the number at while it fits into 64 bits
    bool big_ = false;        ///< upstream would keep it as a big decimal; decides how an overflow shows

    Quantity(Wide nano, std::int32_t scale, bool big) : nano_(nano), scale_(scale), big_(big) {}
    static std::optional<Quantity> parse_decimal(bool negative, std::string_view integer, std::string_view fraction,
                                                 std::int64_t exponent);
    static Quantity parse_binary(bool negative, std::string_view integer, std::string_view fraction, int exponent);
    std::int64_t scaled(int power) const;

public:
    Quantity() = default;  ///< zero
    static Quantity of(std::int64_t units) { return {Wide{units} * 1'000'000'000, 0, false}; }
    static Quantity of_milli(std::int64_t milli) { return {Wide{milli} * 1'000'000, -3, false}; }

    /// A number with an optional sign and suffix (n u m k M G T P E, Ki … Ei, or an exponent); nothing if `text` is
    /// anything else, blanks included.
    static std::optional<Quantity> parse(std::string_view text);
    /// A quantity as it stands in JSON or YAML: a string, blanks around it ignored, or a number; null is zero.
    static std::optional<Quantity> read(Value value);

    Quantity &operator+=(const Quantity &other);
    Quantity operator-() const { return {-nano_, scale_, big_}; }
    Quantity &operator-=(const Quantity &other) { return *this += -other; }
    std::strong_ordering operator<=>(const Quantity &other) const { return nano_ <=> other.nano_; }
    bool operator==(const Quantity &other) const { return nano_ == other.nano_; }

    bool is_zero() const { return nano_ == 0; }
    bool negative() const { return nano_ < 0; }
    bool whole() const { return nano_ % 1'000'000'000 == 0; }  ///< has no fraction

    /// Whole units, a fraction rounded away from zero. What does not fit into 64 bits gives what upstream gives: 0 or
    /// the low 64 bits. Not for validation.
    std::int64_t value() const { return scaled(0); }
    /// Thousandths, likewise. They overflow early (1E gives 0): for cpu only.
    std::int64_t milli_value() const { return scaled(-3); }
};

inline std::optional<Quantity> Quantity::parse(std::string_view text) {
    bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    auto integer = detail::quantity::take_digits(text);
    std::string_view fraction;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        fraction = detail::quantity::take_digits(text);
    }
    if (integer.empty() && fraction.empty()) return std::nullopt;
    auto suffix = detail::quantity::suffix_of(text);
    if (!suffix) return std::nullopt;
    integer.remove_prefix(std::min(integer.find_first_not_of('0'), integer.size()));
    if (suffix->base == 2) return parse_binary(negative, integer, fraction, static_cast<int>(suffix->exponent));
    return parse_decimal(negative, integer, fraction, suffix->exponent);
}

inline std::optional<Quantity> Quantity::parse_decimal(bool negative, std::string_view integer,
                                                       std::string_view fraction, std::int64_t exponent) {
    const auto digits = std::max<std::size_t>(integer.size(), 1) + fraction.size();
    const auto scale = exponent - static_cast<std::int64_t>(fraction.size());
    const auto power = scale + 9;  // of ten, from the digits to nanos
    // What lies below one nano is cut off, and one nano is added if that was not nothing.
    const auto cut =
        std::min<std::size_t>(integer.size() + fraction.size(), power < 0 ? static_cast<std::size_t>(-power) : 0);
    const auto kept = integer.size() + fraction.size() - cut;
    Wide nano = 0;
    bool lost = false;
    for (std::size_t i = 0; i < integer.size() + fraction.size(); ++i) {
        const int digit = (i < integer.size() ? integer[i] : fraction[i - integer.size()]) - '0';
        if (i < kept) nano = detail::quantity::grown(nano, 10, digit);
        else lost = lost || digit != 0;
    }
    nano = detail::quantity::times_ten_to(nano, power);
    if (lost && nano != detail::quantity::widest) ++nano;
    const bool small = digits <= 18 && scale >= -9;
    return Quantity{negative ? -nano : nano, small ? static_cast<std::int32_t>(scale) : 0, !small};
}

inline Quantity Quantity::parse_binary(bool negative, std::string_view integer, std::string_view fraction,
                                       int exponent) {
    // m / (2^60 * 10^9) has at most 69 decimal places, so 69 places and one more that says whether any is left decide
    // exactly which nano is the next one up.
    std::array<int, 70> places{};
    for (std::size_t i = 0; i < fraction.size(); ++i) {
        const int digit = fraction[i] - '0';
        if (i < 69) places[i] = digit;
        else if (digit != 0) places[69] = 1;
    }
    Wide whole = 0;
    for (char c : integer) whole = detail::quantity::grown(whole, 10, c - '0');
    for (int i = 0; i < exponent; ++i) {
        int carry = 0;
        for (auto place = places.rbegin(); !fraction.empty() && place != places.rend(); ++place) {
            const int doubled = *place * 2 + carry;
            *place = doubled % 10;
            carry = doubled / 10;
        }
        whole = detail::quantity::grown(whole, 2, carry);
    }
    Wide nano = std::min(whole, Wide{detail::quantity::most_int64} + 1);
    for (std::size_t i = 0; i < 9; ++i) nano = detail::quantity::grown(nano, 10, places[i]);
    if (std::any_of(places.begin() + 9, places.end(), [](int place) { return place != 0; })) ++nano;
    nano = std::min(nano, detail::quantity::most_int64 * detail::quantity::nanos_per_unit);
    // Upstream's estimate of what is sure to fit into 64 bits, not the truth about it.
    const auto digits = static_cast<int>(std::min<std::size_t>(std::max<std::size_t>(integer.size(), 1), 100));
    const bool small = fraction.empty() && 15 - digits - exponent * 3 / 10 - 1 >= 0;
    return {negative ? -nano : nano, 0, !small};
}

inline std::optional<Quantity> Quantity::read(Value value) {
    std::array<char, 32> text{};
    switch (value.kind()) {
        case BERTH_VALUE_NULL: return Quantity{};
        case BERTH_VALUE_INT: {
            auto end = std::to_chars(text.data(), text.data() + text.size(), *value.integer()).ptr;
            return parse({text.data(), static_cast<std::size_t>(end - text.data())});
        }
        case BERTH_VALUE_DOUBLE: {
            auto end = std::to_chars(text.data(), text.data() + text.size(), *value.number()).ptr;
            return parse({text.data(), static_cast<std::size_t>(end - text.data())});
        }
        case BERTH_VALUE_STRING: {
            auto trimmed = value.string();
            while (!trimmed.empty() && detail::quantity::is_blank(trimmed.front())) trimmed.remove_prefix(1);
            while (!trimmed.empty() && detail::quantity::is_blank(trimmed.back())) trimmed.remove_suffix(1);
            return parse(trimmed);
        }
        default: return std::nullopt;
    }
}

inline Quantity &Quantity::operator+=(const Quantity &other) {
    const auto sum = [](Wide a, Wide b) {
        if (b > 0 && a > detail::quantity::widest - b) return detail::quantity::widest;
        if (b < 0 && a < -detail::quantity::widest - b) return -detail::quantity::widest;
        return a + b;
    };
    if (!big_ && !other.big_) {
        if (other.nano_ == 0) return *this;
        if (nano_ == 0) return *this = other;
        const auto least = std::min(scale_, other.scale_);
        const auto unit = detail::quantity::times_ten_to(1, least + 9);
        const auto total = sum(nano_, other.nano_);
        const bool fits = detail::quantity::fits_int64(nano_ / unit) &&
                          detail::quantity::fits_int64(other.nano_ / unit) &&
                          detail::quantity::fits_int64(total / unit);
        return *this = Quantity{total, fits ? least : 0, !fits};
    }
    return *this = Quantity{sum(nano_, other.nano_), 0, true};
}

inline std::int64_t Quantity::scaled(int power) const {
    const auto unit = detail::quantity::times_ten_to(1, power + 9);
    auto result = nano_ / unit;
    if (nano_ % unit != 0) {
        // A big decimal is rounded up whatever its sign, a small one away from zero.
        result += big_ || nano_ > 0 ? 1 : -1;
    }
    if (detail::quantity::fits_int64(result)) return static_cast<std::int64_t>(result);
    // Upstream multiplies small numbers by these powers in one step and keeps the low bits; by others it gives up.
    const auto steps = std::int64_t{scale_} - power;
    const bool wraps = big_ || steps == 1 || steps == 2 || steps == 3 || steps == 6 || steps == 9;
    return wraps ? static_cast<std::int64_t>(static_cast<std::uint64_t>(result)) : 0;
}

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#include "quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace kubernetes::cel {

namespace {

__extension__ using Wide = __int128;

constexpr Wide most_int64 = std::numeric_limits<std::int64_t>::max();
constexpr Wide least_int64 = std::numeric_limits<std::int64_t>::min();
constexpr int most_digits = 37;

constexpr const char *wrong_format =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr const char *wrong_suffix = "unable to parse quantity's suffix";
constexpr const char *wrong_number = "unable to parse numeric part of quantity";
constexpr const char *too_many_digits = "not supported: a quantity of more than 37 digits";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool fits(Wide value) { return value >= least_int64 && value <= most_int64; }

Wide power_of_ten(int power) {
    Wide result = 1;
    for (; power > 0; --power) result *= 10;
    return result;
}

int digits_of(Wide value) {
    // Numbers of 64 bits are divided much faster.
    constexpr std::int64_t unit = 1'000'000'000'000'000'000;
    int digits = 0;
    for (; !fits(value); value /= unit) digits += 18;
    for (auto rest = static_cast<std::int64_t>(value); rest != 0; rest /= 10) ++digits;
    return digits;
}

/// Times a power of ten; false if that has too many digits.
bool scale_up(Wide &value, std::int64_t power) {
    if (value == 0) return true;
    if (power > most_digits || digits_of(value) + power > most_digits) return false;
    value *= power_of_ten(static_cast<int>(power));
    return true;
}

struct Parts {
    bool negative = false;
    std::string_view integer;   ///< without leading zeros
    std::string_view fraction;  ///< behind the dot
    std::string_view suffix;
};

std::string_view take_digits(std::string_view &text) {
    auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    auto digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

bool split(std::string_view text, Parts &parts) {
    parts.negative = text.starts_with('-');
    if (parts.negative || text.starts_with('+')) text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    parts.integer = take_digits(text);
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        parts.fraction = take_digits(text);
    }
    parts.suffix = text;
    text.remove_prefix(std::min(text.find_first_not_of("eEinumkKMGTP"), text.size()));
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return std::ranges::all_of(text, is_digit);
}

struct Suffix {
    int base = 10;
    std::int32_t exponent = 0;
};

bool read_suffix(std::string_view text, Suffix &suffix) {
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
    for (const auto &known : named) {
        if (known.name != text) continue;
        suffix = known.suffix;
        return true;
    }
    if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return false;
    text.remove_prefix(1);
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t exponent = 0;
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc{} || stop != text.data() + text.size()) return false;
    suffix = {10, static_cast<std::int32_t>(exponent)};
    return true;
}

}  // namespace

Quantity Quantity::of(std::int64_t units) {
    Quantity result;
    result.value_ = units;
    return result;
}

std::string Quantity::parse(std::string_view text, Quantity &into) {
    into = Quantity{};
    if (text.empty()) return wrong_format;
    Parts parts;
    if (!split(text, parts)) return wrong_format;
    Suffix suffix;
    if (!read_suffix(parts.suffix, suffix)) return wrong_suffix;
    if (suffix.base == 2) into.format_ = Format::Binary;
    else if (parts.suffix.size() > 1) into.format_ = Format::Exponent;
    const auto integer = parts.integer.empty() ? std::string_view{"0"} : parts.integer;
    const auto places = static_cast<std::int64_t>(parts.fraction.size());

    std::int64_t precision = 18 - static_cast<std::int64_t>(integer.size()) - places;
    if (suffix.base == 2)
        precision = places > 0 ? -1 : 15 - static_cast<std::int64_t>(integer.size()) - suffix.exponent * 3 / 10 - 1;
    const std::int64_t scale = (suffix.base == 10 ? suffix.exponent : 0) - places;

    Wide value = 0;
    int digits = 0;
    for (auto part : {integer, parts.fraction}) {
        for (char c : part) {
            if (digits > 0 || c != '0') ++digits;
            if (digits > most_digits) return too_many_digits;
            value = value * 10 + (c - '0');
        }
    }
    const Wide factor = suffix.base == 2 ? Wide{1} << suffix.exponent : 1;
    if (precision >= 0 && scale >= -9 && fits(value * factor)) {
        into.value_ = (parts.negative ? -value : value) * factor;
        into.scale_ = static_cast<std::int32_t>(scale);
        return {};
    }
    if (parts.integer.empty() && parts.fraction.empty() && text.find('0') == std::string_view::npos)
        return wrong_number;
    if (scale < std::numeric_limits<std::int32_t>::min() || scale > std::numeric_limits<std::int32_t>::max())
        return too_many_digits;
    into.decimal_ = true;
    into.scale_ = static_cast<std::int32_t>(scale);
    if (suffix.base == 2) {
        // Upstream caps what has a binary suffix at 2^63 - 1; with a fraction, the digits may be too many to find out.
        if (digits + 19 > most_digits && digits - places > 19) value = most_int64, into.scale_ = 0;
        else if (digits + 19 > most_digits) return too_many_digits;
        else value *= factor;
    }
    if (value != 0 && into.scale_ < -9) {
        const auto cut = -9 - std::int64_t{into.scale_};
        const Wide unit = cut > most_digits ? 0 : power_of_ten(static_cast<int>(cut));
        value = unit == 0 ? 1 : value / unit + (value % unit != 0 ? 1 : 0);
        into.scale_ = -9;
    }
    if (suffix.base == 2) {
        Quantity most = of(std::numeric_limits<std::int64_t>::max());
        into.value_ = value;
        if (into.compare(most) > 0) into.value_ = most.value_, into.scale_ = 0;
        value = into.value_;
    }
    if (into.format_ == Format::Binary && value != 0 && into.compare(of(1)) < 0) into.format_ = Format::Decimal;
    into.value_ = parts.negative ? -value : value;
    return {};
}

int Quantity::compare(const Quantity &other) const {
    if (sign() != other.sign()) return sign() < other.sign() ? -1 : 1;
    if (value_ == 0) return 0;
    const auto magnitude = digits_of(value_) + std::int64_t{scale_};
    const auto others = digits_of(other.value_) + std::int64_t{other.scale_};
    if (magnitude != others) return (magnitude < others) == (sign() > 0) ? -1 : 1;
    Wide a = value_;
    Wide b = other.value_;
    if (scale_ > other.scale_) a *= power_of_ten(scale_ - other.scale_);
    else b *= power_of_ten(other.scale_ - scale_);
    return a == b ? 0 : a < b ? -1 : 1;
}

/// Where upstream keeps the sum as an int64, so that it is an integer for as_integer.
bool Quantity::add_small(Wide value, std::int32_t scale) {
    if (value == 0) return true;
    if (value_ == 0) {
        value_ = value;
        scale_ = scale;
        return true;
    }
    Wide mine = value_;
    const auto least = std::min(scale_, scale);
    if (!scale_up(mine, std::int64_t{scale_} - least) || !scale_up(value, std::int64_t{scale} - least)) return false;
    if (!fits(mine) || !fits(value) || !fits(mine + value)) return false;
    value_ = mine + value;
    scale_ = least;
    return true;
}

bool Quantity::add_decimal(Wide value, std::int32_t scale) {
    const auto least = std::min(scale_, scale);
    if (!scale_up(value_, std::int64_t{scale_} - least) || !scale_up(value, std::int64_t{scale} - least)) return false;
    value_ += value;
    scale_ = least;
    decimal_ = true;
    return digits_of(value_) <= most_digits;
}

bool Quantity::add(const Quantity &other) {
    if (value_ == 0) format_ = other.format_;
    if (!decimal_ && !other.decimal_ && add_small(other.value_, other.scale_)) return true;
    return add_decimal(other.value_, other.scale_);
}

bool Quantity::subtract(const Quantity &other) {
    if (value_ == 0) format_ = other.format_;
    // Upstream negates an int64, and the least one stays what it is.
    const Wide negative = other.value_ == least_int64 ? least_int64 : -other.value_;
    if (!decimal_ && !other.decimal_ && add_small(negative, other.scale_)) return true;
    return add_decimal(-other.value_, other.scale_);
}

bool Quantity::as_integer(std::int64_t &integer) const {
    Wide value = value_;
    if (decimal_ || scale_ < 0) return false;
    if (scale_ > 0 && (!scale_up(value, scale_) || !fits(value))) return false;
    integer = static_cast<std::int64_t>(value);
    return true;
}

double Quantity::as_approximate_float() const {
    const auto base = static_cast<double>(value_);
    if (scale_ == 0) return base;
    // As Go's math.Pow10 makes powers of ten, to the last bit.
    static constexpr std::array<double, 32> low{1e00, 1e01, 1e02, 1e03, 1e04, 1e05, 1e06, 1e07, 1e08, 1e09, 1e10,
                                                1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
                                                1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
    static constexpr std::array<double, 10> high{1e00, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288};
    static constexpr std::array<double, 11> negative{1e-00,  1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                                     1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
    const std::int64_t power = scale_;
    if (power > 308) return base * std::numeric_limits<double>::infinity();
    if (power < -323) return base * 0;
    const auto at = static_cast<std::size_t>(power < 0 ? -power : power);
    return base * (power > 0 ? high[at / 32] * low[at % 32] : negative[at / 32] / low[at % 32]);
}

std::string Quantity::printed() const {
    if (value_ == 0) return "0";
    const auto text = [](Wide value) {
        std::string digits;
        for (Wide rest = value < 0 ? -value : value; rest != 0; rest /= 10)
            digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
        return (value < 0 ? "-" : "") + digits;
    };
    const bool small = compare(of(-1024)) > 0 && compare(of(1024)) < 0;
    if (Wide whole = value_; format_ == Format::Binary && !small && scale_ >= -most_digits && scale_up(whole, scale_)) {
        if (scale_ < 0) {
            const Wide unit = power_of_ten(-scale_);
            whole = value_ / unit + (value_ % unit > 0 ? 1 : 0);
        }
        static constexpr std::array<const char *, 7> suffixes{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
        std::size_t power = 0;
        for (; whole % 1024 == 0 && power + 1 < suffixes.size(); ++power) whole /= 1024;
        return text(whole) + suffixes[power];
    }
    Wide value = value_;
    std::int64_t exponent = scale_;
    for (; value % 10 == 0; ++exponent) value /= 10;
    // A value of 37 digits has no room for two more.
    auto digits = text(value);
    for (; exponent % 3 != 0; --exponent) digits += '0';
    static constexpr std::array<const char *, 10> suffixes{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    if (format_ == Format::Exponent) return digits + (exponent == 0 ? "" : "e" + std::to_string(exponent));
    return digits + (exponent >= -9 && exponent <= 18 ? suffixes[static_cast<std::size_t>(exponent / 3 + 3)] : "");
}

}  // namespace kubernetes::cel

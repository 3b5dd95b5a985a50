// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kubernetes' quantities: exact decimals such as "500m", "1.5Gi" or "1e3".
/// Formulas: apimachinery v0.36.3, pkg/api/resource/{quantity,suffix,math,scale_int}.go (spec 6).

#include "model/value.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::model {

/// An exact amount with a floor of one nano: what is smaller and not zero counts as one nano. Sums and comparisons are
/// exact up to 10^29; beyond that, where no real amount is, all amounts of one sign are alike.
class Quantity {
    __extension__ using Wide = __int128;

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

}  // namespace berth::model

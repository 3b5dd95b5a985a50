// SPDX-License-Identifier: Apache-2.0
#pragma once

/// CEL's quantities, with the rules of apimachinery's resource.Quantity.

#include <cstdint>
#include <string>
#include <string_view>

namespace kubernetes::cel {

/// A quantity with the rules of apimachinery's resource.Quantity, which keeps it as an int64 and a power of ten or,
/// where that does not do, as a decimal of any length. Here a decimal has at most 37 digits. (berth::Quantity is for
/// amounts on nodes: it has a floor and a ceiling, and no exponent of its own.)
class Quantity {
    __extension__ using Wide = __int128;

    Wide value_ = 0;
    std::int32_t scale_ = 0;  ///< power of ten
    bool decimal_ = false;
    enum class Format : std::uint8_t { Decimal, Exponent, Binary } format_ = Format::Decimal;

    bool add_small(Wide value, std::int32_t scale);
    bool add_decimal(Wide value, std::int32_t scale);

public:
    static Quantity of(std::int64_t units);
    /// Upstream's error text; empty if `into` has the quantity.
    static std::string parse(std::string_view text, Quantity &into);

    /// False if the sum has too many digits.
    bool add(const Quantity &other);
    bool subtract(const Quantity &other);

    int sign() const { return value_ == 0 ? 0 : value_ > 0 ? 1 : -1; }
    int compare(const Quantity &other) const;
    /// False where upstream says that it is no integer: it looks at how the quantity is kept.
    bool as_integer(std::int64_t &integer) const;
    double as_approximate_float() const;
    std::string printed() const;  ///< in upstream's canonical form
};

}  // namespace kubernetes::cel

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A quantity of a device, with its text in an allocation.

#include <berth/args.hpp>
#include <berth/quantity.hpp>

#include <limits>
#include <optional>
#include <string>

namespace kubernetes::devices {

struct Amount {
    berth::Quantity quantity;
    std::string text = "0";

    static Amount read(berth::Value value) {
        Amount out;
        if (value.is_null()) return out;
        out.quantity = berth::Quantity::read(value).value_or(berth::Quantity{});
        out.text = value.is_string() ? std::string(value.string()) : berth::json(value);
        return out;
    }
    static std::optional<Amount> read_optional(berth::Value value) {
        return value.is_null() ? std::nullopt : std::optional(read(value));
    }

    /// Suffixes of a quantity: "k", "Ki" or "e3".
    enum class Format { Decimal, Binary, Exponent };
    Format format() const {
        if (text.ends_with('i')) return Format::Binary;
        const auto exponent = text.find_first_of("eE");
        return exponent != std::string::npos && exponent + 1 < text.size() ? Format::Exponent : Format::Decimal;
    }

    /// Whole units, written with the largest suffix that keeps them exact.
    static Amount of(std::int64_t units, Format format) {
        static constexpr const char *decimal[] = {"", "k", "M", "G", "T", "P", "E"},
                                    *binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
        // Upstream writes small numbers as decimals.
        if (format == Format::Binary && units > -1024 && units < 1024) format = Format::Decimal;
        const std::int64_t step = format == Format::Binary ? 1024 : 1000;
        std::int64_t left = units;
        std::size_t times = 0;
        // Nor does it shorten the least of all.
        const bool least = units == std::numeric_limits<std::int64_t>::min();
        for (; left != 0 && !least && left % step == 0; left /= step) ++times;
        std::string out = std::to_string(left);
        if (format == Format::Exponent) out += times > 0 ? "e" + std::to_string(3 * times) : "";
        else out += (format == Format::Binary ? binary : decimal)[times];
        return {berth::Quantity::of(units), std::move(out)};
    }
};

}  // namespace kubernetes::devices

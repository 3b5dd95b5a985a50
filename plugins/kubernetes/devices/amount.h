// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/args.hpp>
#include <berth/quantity.hpp>

#include <optional>
#include <string>

namespace kubernetes::devices {

/// A quantity of a device, with the text that it has in an allocation.
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

    /// Whole units, written with the largest binary suffix that keeps them exact (format BinarySI).
    static Amount binary(std::int64_t units) {
        if (units > -1024 && units < 1024) return {berth::Quantity::of(units), std::to_string(units)};
        static constexpr const char *suffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
        std::int64_t left = units;
        std::size_t times = 0;
        for (; left % 1024 == 0; left /= 1024) ++times;
        return {berth::Quantity::of(units), std::to_string(left) + suffixes[times]};
    }
};

}  // namespace kubernetes::devices

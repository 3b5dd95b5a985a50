// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The sort key of a pod for QueueSort.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

namespace berth {

/// The key of a pod for QueueSort: values whose bytes compare as `less` does. What is added first decides first. All
/// keys of a plugin are made of the same kinds of values in the same order.
class SortKey {
    std::span<std::uint8_t> room_;
    std::uint64_t size_ = 0;

    void put(std::uint8_t byte) {
        if (size_ < room_.size()) room_[static_cast<std::size_t>(size_)] = byte;
        ++size_;
    }

public:
    explicit SortKey(std::span<std::uint8_t> room) : room_(room) {}

    /// Smaller numbers come first, and false before true.
    template <std::integral T>
    SortKey &ascending(T number) {
        if constexpr (std::same_as<T, bool>) return ascending(std::uint8_t{number});
        else return bits_of(number);
    }
    /// Larger numbers come first, and true before false.
    template <std::integral T>
    SortKey &descending(T number) {
        if constexpr (std::same_as<T, bool>) return descending(std::uint8_t{number});
        else return bits_of(static_cast<T>(~static_cast<std::make_unsigned_t<T>>(number)));
    }
    /// By bytes, and a text before one that begins with it.
    SortKey &text(std::string_view text) {
        for (char c : text) {
            put(static_cast<std::uint8_t>(c));
            if (c == 0) put(0xff);
        }
        put(0), put(0);
        return *this;
    }

    std::uint64_t size() const { return size_; }  ///< in bytes, with those that there was no room for

private:
    template <class T>
    SortKey &bits_of(T number) {
        using Bits = std::make_unsigned_t<T>;
        auto bits = static_cast<Bits>(number);
        if constexpr (std::is_signed_v<T>)
            bits = static_cast<Bits>(bits ^ static_cast<Bits>(std::numeric_limits<T>::min()));
        for (std::size_t i = sizeof bits; i-- > 0;) put(static_cast<std::uint8_t>(bits >> (8 * i)));
        return *this;
    }
};

}  // namespace berth

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Numbers as text. Not for plugin authors.

#include <array>
#include <charconv>
#include <string>

namespace berth::detail {

/// The shortest text that is read as the same number again.
template <class T>
void append_number(std::string &out, T n) {
    constexpr std::size_t longest = 32;
    std::array<char, longest> text{};
    out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), n).ptr);
}

}  // namespace berth::detail

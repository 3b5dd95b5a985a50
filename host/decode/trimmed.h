// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A text without the blanks at both ends.

#include <string_view>

namespace berth::decode {

inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\n\v\f\r";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace berth::decode

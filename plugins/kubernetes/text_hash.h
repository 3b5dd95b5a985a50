// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace kubernetes {

/// For tables with texts as keys: a look-up makes no string.
struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
};

}  // namespace kubernetes

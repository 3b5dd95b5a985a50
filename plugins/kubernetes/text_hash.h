// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A hash of texts for tables, with look-ups by string_view.

#include <functional>
#include <string_view>

namespace kubernetes {

struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
};

}  // namespace kubernetes

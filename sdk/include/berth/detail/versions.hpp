// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether the name of a group could be taken for a version where both stand in one text. Not for plugin authors.

#include <string_view>

namespace berth::detail {

/// As "v1" and "v1.example.com" do. No group that a plugin declares may begin so: in "get v1/configmaps" the core group
/// has no name, so a version comes first.
constexpr bool begins_like_version(std::string_view text) {
    return text.size() > 1 && text[0] == 'v' && text[1] >= '0' && text[1] <= '9';
}

}  // namespace berth::detail

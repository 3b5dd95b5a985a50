// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parts of JSON pointers (RFC 6901), with ~0 and ~1.

#include <string>
#include <string_view>

namespace berth::model {

/// The name that a part of a pointer writes with ~0 and ~1.
inline std::string unescaped(std::string_view part) {
    std::string name;
    for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1'))
            name += part[++i] == '0' ? '~' : '/';
        else name += part[i];
    }
    return name;
}

}  // namespace berth::model

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/value.h"

#include <cstddef>

namespace berth::model {

/// The memory that a tree may be the last one to keep, with what it shares.
inline std::size_t bytes_of(const Tree &tree) {
    auto bytes = tree.arena.size();
    for (const auto &shared : tree.shared)
        if (shared) bytes += shared->arena.size();
    return bytes;
}

}  // namespace berth::model

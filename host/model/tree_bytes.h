// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The memory of a tree, including shared parts that may have no other owner.

#include "model/value.h"

#include <cstddef>

namespace berth::model {

inline std::size_t bytes_of(const Tree &tree) {
    auto bytes = tree.arena.size();
    for (const auto &shared : tree.shared)
        if (shared) bytes += shared->arena.size();
    return bytes;
}

}  // namespace berth::model

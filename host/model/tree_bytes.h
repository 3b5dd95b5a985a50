// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The memory of a tree and of the parts that it shares, because the tree may be their only owner.

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What arrays take of the heap.

#include <cstddef>
#include <vector>

namespace berth::cluster {

template <class... T>
std::size_t heap_bytes(const std::vector<T> &...arrays) {
    return (std::size_t{0} + ... + (arrays.capacity() * sizeof(T)));
}

}  // namespace berth::cluster

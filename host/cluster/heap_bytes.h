// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bytes that arrays take of the heap.

#include <cstddef>
#include <vector>

namespace berth::cluster {

template <class... T>
std::size_t heap_bytes(const std::vector<T> &...arrays) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers takes its pointers, not what they point to
    return (std::size_t{0} + ... + (arrays.capacity() * sizeof(T)));
}

}  // namespace berth::cluster

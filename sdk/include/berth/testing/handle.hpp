// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Handles of a test's objects, as the ABI passes them.

#include <cstdint>

namespace berth::testing {

template <class T>
std::uint64_t handle_of(T *what) {
    return reinterpret_cast<std::uintptr_t>(what);
}
template <class T>
T &behind(std::uint64_t handle) {
    return *reinterpret_cast<T *>(static_cast<std::uintptr_t>(handle));
}

}  // namespace berth::testing

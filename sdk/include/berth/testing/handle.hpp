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
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the handle is an address, as handle_of() made it
    return *reinterpret_cast<T *>(static_cast<std::uintptr_t>(handle));
}

}  // namespace berth::testing

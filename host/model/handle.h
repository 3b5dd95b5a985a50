// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Handles of the ABI: numbers that stand for the host's own objects in the data that a plugin receives.

#include <bit>
#include <cstdint>

namespace berth::model {

/// T is the class that from_handle names: a base, where that is what the reader knows.
template <class T>
std::uint64_t to_handle(T *what) {
    return std::bit_cast<std::uint64_t>(what);
}
template <class T>
T *from_handle(std::uint64_t handle) {
    return std::bit_cast<T *>(handle);
}

/// The object behind an opaque Handle. For `class T : public Opaque<Handle, T>`.
template <class Handle, class T>
class Opaque {
    Opaque() = default;
    friend T;

public:
    Handle *handle() { return reinterpret_cast<Handle *>(static_cast<T *>(this)); }
    static T *of(Handle *handle) { return reinterpret_cast<T *>(handle); }
};

}  // namespace berth::model

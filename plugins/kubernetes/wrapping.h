// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Arithmetic of int64 that wraps around, as in Go.

#include <cstdint>

/// Go's int64: what overflows keeps its low 64 bits, and the least number divided by -1 is itself. For amounts that
/// nodes and pods state: each of them is at most an int64, but no sum or product of them is sure to be one.
namespace kubernetes::wrapping {

inline std::int64_t plus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t minus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t times(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
/// `b` is not 0. The processor's own division ends the process where the result does not fit.
inline std::int64_t divided(std::int64_t a, std::int64_t b) { return b == -1 ? minus(0, a) : a / b; }

}  // namespace kubernetes::wrapping

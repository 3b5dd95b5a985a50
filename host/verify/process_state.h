// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The state of the process that no plugin may change: signals, threads, descriptors, locale, memory.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace berth::verify {

/// Taken when it is made.
class ProcessState {
    static constexpr int signals = 32;
    std::array<std::uintptr_t, signals> handlers_{};
    std::string directory_, locale_;
    std::vector<std::string> environment_;
    int rounding_ = 0;

public:
    ProcessState();
    /// A sentence about what is different, or "".
    std::string changed_since(const ProcessState &before) const;
    std::size_t threads, files;
};

/// Bytes that are allocated now.
std::size_t allocated_bytes();

}  // namespace berth::verify

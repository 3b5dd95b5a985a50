// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bound of a CEL compilation's or evaluation's time and memory.

#include <cstddef>
#include <cstdint>

namespace kubernetes::cel {

/// What one compilation or evaluation may still do. A unit is an element looked at or copied, or 16 bytes of a text; as
/// no memory is used without being charged, this bounds memory, too: 4,000,000 units are at most about 64 MB.
class Work {
    std::uint64_t left_ = 4'000'000;

public:
    struct Exhausted {};
    static constexpr std::size_t bytes_of_unit = 16;

    Work() = default;
    explicit Work(std::uint64_t units) : left_(units) {}
    std::uint64_t left() const { return left_; }

    /// Throws Exhausted.
    void charge(std::uint64_t units) {
        if (units > left_) throw Exhausted{};
        left_ -= units;
    }
    void charge_bytes(std::size_t bytes) { charge(1 + bytes / bytes_of_unit); }
};

}  // namespace kubernetes::cel

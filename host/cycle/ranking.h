// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The greatest of many scores by position, found without a look at each; ties are broken at random.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace berth::cycle {

/// Loop only.
class Ranking {
    struct Block {
        std::int64_t greatest;
        std::uint64_t equals;  ///< how many places have it
    };
    static constexpr std::size_t width = 64;
    std::vector<std::int64_t> numbers_;
    std::vector<Block> blocks_;  ///< each of so many places

    std::span<const std::int64_t> block(std::size_t b) const;
    void count(std::size_t b);

public:
    /// So many zeros.
    void clear(std::size_t positions) { numbers_.assign(positions, 0); }
    /// To be written to; count() comes before greatest().
    std::span<std::int64_t> numbers() { return numbers_; }
    void count();

    std::int64_t operator[](std::size_t place) const { return numbers_[place]; }
    /// Changes one number that has been counted.
    void set(std::size_t place, std::int64_t number) {
        numbers_[place] = number;
        count(place / width);
    }
    /// The place of a greatest number, of which there is at least one; `chance` decides which.
    std::size_t greatest(std::uint64_t chance) const;
};

}  // namespace berth::cycle

// SPDX-License-Identifier: Apache-2.0
#include "cycle/ranking.h"

#include <algorithm>

namespace berth::cycle {

std::span<const std::int64_t> Ranking::block(std::size_t b) const {
    return std::span(numbers_).subspan(b * width, std::min(width, numbers_.size() - b * width));
}

void Ranking::count(std::size_t b) {
    const auto numbers = block(b);
    std::int64_t greatest = numbers[0];
    for (std::int64_t number : numbers) greatest = std::max(greatest, number);
    std::uint64_t equals = 0;
    for (std::int64_t number : numbers) equals += number == greatest;
    blocks_[b] = {greatest, equals};
}

void Ranking::count() {
    blocks_.resize((numbers_.size() + width - 1) / width);
    for (std::size_t b = 0; b < blocks_.size(); ++b) count(b);
}

std::size_t Ranking::greatest(std::uint64_t chance) const {
    std::int64_t greatest = blocks_[0].greatest;
    for (const Block &block : blocks_) greatest = std::max(greatest, block.greatest);
    std::uint64_t equals = 0;
    for (const Block &block : blocks_)
        if (block.greatest == greatest) equals += block.equals;
    std::uint64_t wanted = chance % equals;
    std::size_t b = 0;
    for (;; ++b) {
        if (blocks_[b].greatest != greatest) continue;
        if (wanted < blocks_[b].equals) break;
        wanted -= blocks_[b].equals;
    }
    for (std::size_t place = b * width;; ++place)
        if (numbers_[place] == greatest && wanted-- == 0) return place;
}

}  // namespace berth::cycle

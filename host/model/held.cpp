// SPDX-License-Identifier: Apache-2.0
#include "model/held.h"

#include <array>
#include <atomic>

namespace berth::model {
namespace {

constexpr std::size_t holders = 3;
std::array<std::atomic<std::uint64_t>, holders> bytes_of{};

std::atomic<std::uint64_t> &of(Holder holder) { return bytes_of[static_cast<std::size_t>(holder)]; }

}  // namespace

Held::~Held() {
    if (bytes_ > 0) of(holder_).fetch_sub(bytes_, std::memory_order_relaxed);
}

void Held::count(Holder holder, std::size_t bytes) {
    holder_ = holder;
    bytes_ = bytes;
    of(holder_).fetch_add(bytes_, std::memory_order_relaxed);
}

std::uint64_t held_bytes(Holder holder) { return of(holder).load(std::memory_order_relaxed); }

}  // namespace berth::model

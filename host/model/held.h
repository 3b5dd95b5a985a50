// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The memory that nodes, pods and other objects hold, counted as they come and go. To know it costs no
/// walk.

#include <cstddef>
#include <cstdint>

namespace berth::model {

/// What an object is; Others are those of every kind that only plugins watch.
enum class Holder : std::uint8_t { Pods, Nodes, Others };

/// Belongs to an object, and counts its bytes for as long as it lives.
class Held {
    std::size_t bytes_ = 0;
    Holder holder_ = Holder::Others;

public:
    Held() = default;
    ~Held();
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    /// Once.
    void count(Holder holder, std::size_t bytes);
};

/// Bytes of all those together, about: what malloc adds is estimated. Any thread.
std::uint64_t held_bytes(Holder holder);

/// What malloc adds to a few blocks, and a shared pointer to what it points to.
inline constexpr std::size_t object_overhead = 80;

}  // namespace berth::model

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rotation of a recording to another file, so that a long run always keeps its last stretch (docs/replay.md).
///
/// A file of a recording is replayed from its beginning, so another one begins as a process does: with new instances of
/// the same plugins and an empty scheduler, which gets the cluster anew from the watches' objects.

#include "live/reload.h"

#include <cstdint>

namespace berth::live {

/// Loop only.
class Rotation {
    Live &live_;
    env::Log &log_;
    Reloader &reloader_;
    RecordOptions options_;
    std::uint64_t rotations_ = 0, rounds_ = 0;
    std::int64_t next_hold_ns_ = 0;  ///< monotonic
    bool holds_ = false, failed_ = false;

    void hold();
    void rotate();
    void let_go();
    void put_off();

public:
    /// When there always is a pod under way, no new ones are taken up for so long, …
    static constexpr std::int64_t patience_ns = 2'000'000'000;
    /// … and, if that was not enough, again after that.
    static constexpr std::int64_t pause_ns = 30'000'000'000;

    /// All outlive it; before live.run().
    Rotation(Live &live, env::Log &log, Reloader &reloader, RecordOptions options);
    Rotation(const Rotation &) = delete;
    Rotation &operator=(const Rotation &) = delete;

    /// How often another file has begun.
    std::uint64_t rotations() const { return rotations_; }

private:
    void look();
};

}  // namespace berth::live

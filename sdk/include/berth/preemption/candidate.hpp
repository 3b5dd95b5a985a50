// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pods that a preemption may evict, and the nodes on which it can make room.

#include <berth/view.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

namespace berth::preemption {

/// A pod that may be evicted.
struct PotentialVictim {
    std::uint32_t row = 0;                 ///< in the pods of the call's nodes
    std::int64_t priority = 0, start = 0;  ///< one that has not started counts as started last
    std::size_t place = 0;                 ///< among these, on the node; 0 unless the release ranks by it
    Pod pod;
    bool violates = false;  ///< its eviction breaks a disruption budget
    bool chosen = false;    ///< it is a victim

    PotentialVictim(const PlacedPods &pods, std::uint32_t of)
        : row(of), priority(pods.priority(of)), start(pods.start_time_ns(of)), pod(pods[of]) {
        if (start == 0) start = std::numeric_limits<std::int64_t>::max();
    }

    /// More important. The names only make the choice the same every time.
    bool operator<(const PotentialVictim &other) const { return rank() < other.rank(); }

private:
    std::tuple<std::int64_t, std::int64_t, std::size_t, std::string_view, std::string_view> rank() const {
        return {-priority, start, place, pod.name_space(), pod.name()};
    }
};

/// A node on which room can be made.
struct Candidate {
    std::uint32_t slot = 0;
    std::vector<PotentialVictim> victims;  ///< at least one; the most important one first, unless extenders chose
    std::int64_t violations = 0;           ///< victims whose eviction breaks a disruption budget

    /// What Kubernetes compares: the less, the better.
    auto cost() const {
        // The extenders answer in an order of their own.
        std::int64_t sum = 0, earliest = std::numeric_limits<std::int64_t>::max();
        auto most = std::max_element(victims.begin(), victims.end(), [](const auto &a, const auto &b) {
                        return a.priority < b.priority;
                    })->priority;
        for (const auto &v : victims) {
            sum += v.priority + (std::int64_t{1} << 31);
            if (v.priority == most) earliest = std::min(earliest, v.start);
        }
        // The younger the oldest of the most important victims is, the better; -max exists, -min does not.
        return std::tuple(violations, victims.front().priority, sum, victims.size(), -earliest);
    }
};

}  // namespace berth::preemption

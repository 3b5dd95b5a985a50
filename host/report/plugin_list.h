// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API's answer about plugins: their lists, descriptions and calls, as JSON
/// (docs/explain.md).

#include "report/explanation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::report {

/// How a plugin was called at a point of a profile since the start.
struct PluginCalls {
    static constexpr std::size_t buckets = 20;
    /// How many calls took so long: the first less than 1.024 µs, each next one up to twice as much, the last any more.
    using Latency = std::array<std::uint64_t, buckets>;

    std::string profile, plugin, point;
    std::uint64_t calls = 0, nodes = 0, rejections = 0;  ///< nodes: 1 for a call about a pod alone
    double seconds = 0;
    Latency latency{};

    static constexpr std::size_t first_bits = 10;
    /// Which of `Latency` counts a call of so many nanoseconds.
    static constexpr std::size_t bucket(std::int64_t ns) {
        const auto bits =
            static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0))));
        return std::min(buckets - 1, bits > first_bits ? bits - first_bits : 0);
    }
    /// In seconds, what all calls of a bucket but the last are shorter than.
    static constexpr double bound(std::size_t bucket) {
        constexpr double second_ns = 1e9;
        return static_cast<double>(std::uint64_t{1} << (first_bits + bucket)) / second_ns;
    }
};

struct PluginList {
    struct Place {
        std::string plugin;
        std::optional<std::int64_t> weight;  ///< at Score
    };
    struct Point {
        std::string name;
        std::vector<Place> plugins;  ///< in the order in which they are called
    };
    struct Profile {
        std::string name;
        std::vector<Point> points;
    };
    struct Plugin {
        std::string name;                   ///< as in the configuration
        std::string file, version, sha256;  ///< empty: from no library
        std::uint64_t failures = 0;
        std::string quarantine;  ///< why it is not called any more
        int fd = -1;             ///< of its library, to compute the sha256
    };
    Answerer by;
    std::vector<Profile> profiles;
    std::vector<Plugin> plugins;
    std::vector<PluginCalls> calls;
};

/// `kind: PluginList`; each plugin at a point with its calls there. Points that have no list in
/// the profile, such as QueueingHint, come after the others.
std::string json(const PluginList &list);

}  // namespace berth::report

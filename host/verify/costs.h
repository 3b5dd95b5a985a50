// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cost of a plugin's calls about many pods, at every extension point.

#include "plugin/meter.h"
#include "verify/heap_counter.h"
#include "verify/world.h"

#include <span>
#include <string_view>
#include <vector>

namespace berth::verify {

/// Of one extension point.
struct Cost {
    std::string_view point;
    std::uint64_t calls = 0;
    std::uint64_t units = 0;  ///< nodes at Filter, Score and NormalizeScore, pairs of pods at QueueSort, else calls
    std::int64_t ns = 0;
    HeapUse heap{};  ///< while there is a HeapCounter
};

/// Adds up the calls of one plugin, in the order in which the points come first.
class Costs : public plugin::CallMeter {
    std::vector<Cost> points_;
    HeapUse before_ = HeapCounter::here();

public:
    void called(const plugin::Instance &, plugin::CalledPoint point, std::size_t slots, std::int64_t ns) override;
    const std::vector<Cost> &points() const { return points_; }
};

/// Asks the plugin about each pod, at every point that can be called repeatedly: PreEnqueue, QueueSort, PreFilter,
/// Filter about all nodes that PreFilter left, RemovePod and AddPod about a few placed pods, Sign, PreScore, Score and
/// NormalizeScore about all nodes that Filter let through, Reserve and Unreserve. Nothing stays changed.
Costs ask_everything(World &world, std::span<const model::PodPtr> pods);

/// Pods that the plugin has not met, and that are no pods of a world: the same for the same seed, with the same names.
std::vector<model::PodPtr> strangers(const Material &material, std::uint64_t seed, std::size_t count);

}  // namespace berth::verify

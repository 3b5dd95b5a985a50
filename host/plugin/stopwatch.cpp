// SPDX-License-Identifier: Apache-2.0
#include "plugin/stopwatch.h"

#include <algorithm>

namespace berth::plugin {

void Stopwatch::called(const Instance &instance, CalledPoint point, std::size_t slots, std::int64_t ns) {
    auto at =
        std::ranges::find_if(laps_, [&](const Lap &lap) { return lap.instance == &instance && lap.point == point; });
    if (at == laps_.end()) at = laps_.insert(at, {&instance, point});
    at->slots += slots;
    at->ns += ns;
}

std::vector<model::PluginTime> Stopwatch::times() const {
    std::vector<model::PluginTime> out;
    for (const auto &lap : laps_) out.push_back({lap.instance->name, std::string(lap.point), lap.slots, lap.ns});
    return out;
}

}  // namespace berth::plugin

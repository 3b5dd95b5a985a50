// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The time of each plugin at each extension point of a dry run.

#include "model/plugin_time.h"
#include "plugin/meter.h"

#include <vector>

namespace berth::plugin {

/// A dry run may be measured with one (CallEnvironment::DryRun).
class Stopwatch : public CallMeter {
    struct Lap {
        const Instance *instance;
        CalledPoint point;
        std::uint64_t slots = 0;
        std::int64_t ns = 0;
    };
    std::vector<Lap> laps_;  ///< in the order of the first calls

public:
    void called(const Instance &instance, CalledPoint point, std::size_t slots, std::int64_t ns) override;
    std::vector<model::PluginTime> times() const;
};

}  // namespace berth::plugin

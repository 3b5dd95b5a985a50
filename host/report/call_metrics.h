// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Metrics of plugins: calls, their time and their results, by plugin and extension point.

#include "plugin/called_point.h"
#include "plugin/profile.h"
#include "report/metric_definitions.h"
#include "report/plugin_list.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>

namespace berth::report {

/// On the loop.
class CallMetrics {
public:
    /// Both outlive it.
    CallMetrics(Metrics &metrics, const MetricDefinitions &definitions)
        : metrics_(metrics), definitions_(definitions) {}

    // As of plugin::Meter.
    void use(std::span<const plugin::Profile> profiles);
    void called(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t slots, std::int64_t ns);
    void evaluated(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t slots) {
        of(instance, point).evaluations.add(static_cast<double>(slots));
    }
    void rejected(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t slots) {
        of(instance, point).rejections.add(static_cast<double>(slots));
    }

    /// The profiles in force and their plugins, and how these were called since the start.
    PluginList plugins() const;

private:
    /// A plugin of a profile at a point.
    struct Place {
        std::string profile, plugin;
        plugin::CalledPoint point;
        auto operator<=>(const Place &) const = default;
    };
    struct Calls {
        Counter calls, slots, seconds, rejections, evaluations;
        PluginCalls::Latency latency{};
    };
    struct OfInstance {
        std::string profile{};  ///< empty: it is not in force
        std::array<Calls *, plugin::CalledPoint::count> at{};
    };

    Calls &of(const plugin::Instance &instance, plugin::CalledPoint point);
    Calls &of(const Place &place);
    Counter evaluations(const Place &place);

    Metrics &metrics_;
    const MetricDefinitions &definitions_;
    PluginList in_force_;  ///< without calls
    std::map<Place, Calls> calls_;
    std::unordered_map<std::uint64_t, OfInstance> instances_;  ///< by Instance::id
};

}  // namespace berth::report

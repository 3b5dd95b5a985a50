// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The options of `berth replay`.

#include "config/release.h"
#include "plugin/sources.h"

#include <cstdint>
#include <optional>
#include <string>

namespace berth::offline {

/// Where a replay ends.
struct Until {
    std::optional<std::int64_t> time_ns;
    std::optional<std::uint64_t> cycle;

    bool reached(std::int64_t now_ns, std::uint64_t cycles) const {
        return (time_ns && now_ns > *time_ns) || (cycle && cycles >= *cycle);
    }
};

struct ReplayOptions {
    std::string input;  ///< a directory of recordings, or one of them
    plugin::PluginOptions plugins;
    std::string config;                      ///< instead of the recorded one; empty: that one
    std::optional<config::Release> release;  ///< the same; nothing: that one
    std::string until;                       ///< a time or the number of a scheduling cycle; empty: to the end
    std::string pod;                         ///< "namespace/name": its decisions alone
    std::string save_scenario;               ///< where to write the pod's world at its last decision; empty: nowhere
    bool explain = false;                    ///< only with a pod
    bool allow_recorded_plugins = false;     ///< also libraries from where the recording says that they were
    bool all = false, json = false;
};

}  // namespace berth::offline

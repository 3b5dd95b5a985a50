// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth replay`: decides again what a recording holds, and says what differs and why.

#include "config/release.h"
#include "plugin/sources.h"

#include <optional>
#include <string>

namespace berth::cli {

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

/// Returns the exit code: 0 every decision is equal, 1 some differ, 2 wrong usage or a recording that cannot be
/// replayed.
int replay(const ReplayOptions &options);

}  // namespace berth::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a configuration version takes for granted about particular plugins: data, compiled in from configs/defaults/,
/// because no code of the host names a plugin.

#include "config/configuration.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

/// Some plugins and what there is to say about each of them.
struct NamedPlugins {
    std::vector<std::string> plugins;
    std::string message;

    bool contain(std::string_view plugin) const;
};

struct VersionDefaults {
    PluginSet multi_point;                ///< the default profile
    std::vector<std::string> typed_args;  ///< plugins whose args have a type of this version
    NamedPlugins removed;                 ///< refused, with upstream's message
    NamedPlugins unsupported;             ///< refused wherever enabled: the ABI cannot express them
    std::vector<ExtensionPoint> unsupported_points;
    NamedPlugins absent;  ///< upstream's default plugins that are not in `multi_point`
};

/// Those of `kubescheduler.config.k8s.io/v1`. Read once, at the first call; lives as long as the program.
const VersionDefaults &defaults_v1();

}  // namespace berth::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth plugin list` and `inspect`: the plugins that are there, and the content of a library. No code of a library is
/// run.

#include "plugin/sources.h"

#include <string>
#include <vector>

namespace berth::cli {

struct PluginCommandOptions {
    std::vector<std::string> files;  ///< of inspect; one without a slash is one of the plugin directories
    plugin::PluginOptions plugins;
    bool json = false;
};

/// Each prints its answer on standard output and returns the exit code: 1 if a file would not be loaded.
int plugin_list(const PluginCommandOptions &options);
int plugin_inspect(const PluginCommandOptions &options);

}  // namespace berth::cli

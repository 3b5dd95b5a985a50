// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where the commands that schedule get their configuration and their plugins from.

#include "config/configuration.h"
#include "plugin/catalog.h"
#include "plugin/services.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::cli {

struct PluginOptions {
    std::vector<std::string> directories;  ///< none: where the plugins are that were installed with this program
    std::vector<std::string> pins;
    bool insecure = false;
    plugin::Checks checks = plugin::Checks::Basic;
};

/// Where that is which was installed with this program, as in "lib/berth/plugins".
std::string installed(std::string_view path);

/// What a configuration file holds, unread.
model::Result<std::string> read_config_text(const std::string &path);
/// The configuration in a file; the built-in one for an empty path.
model::Result<config::Configuration> read_config(const std::string &path);

/// Where plugin libraries are looked for.
std::vector<std::string> plugin_directories(const PluginOptions &options);
/// With further pins beside those of the options.
model::Result<plugin::Catalog> open_catalog(const PluginOptions &options, std::vector<plugin::Pin> pins = {});

}  // namespace berth::cli

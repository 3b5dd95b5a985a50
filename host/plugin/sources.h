// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The places of plugin libraries: --plugin-dir, pins, and the directory of the installation.

#include "plugin/catalog.h"
#include "plugin/services.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin {

struct PluginOptions {
    std::vector<std::string> directories;  ///< none: where the plugins are that were installed with this program
    std::vector<std::string> pins;
    bool insecure = false;
    Checks checks = Checks::Basic;
};

/// Where that is which was installed with this program, as in "lib/berth/plugins".
std::string installed(std::string_view path);

/// Where plugin libraries are looked for.
std::vector<std::string> plugin_directories(const PluginOptions &options);
/// With further pins beside those of the options.
model::Result<Catalog> open_catalog(const PluginOptions &options, std::vector<Pin> pins = {});

}  // namespace berth::plugin

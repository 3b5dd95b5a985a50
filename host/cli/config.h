// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth config`: its commands view, convert and rbac, which read a configuration without running it.

#include "config/configuration.h"
#include "config/feature_gates.h"
#include "config/mutable_tree.h"
#include "plugin/sources.h"

#include <string>
#include <vector>

namespace berth::cli {

enum class ConfigFormat { Yaml, Json };

struct ConfigOptions {
    std::vector<std::string> files;  ///< at most one but for validate; none: the built-in configuration
    plugin::PluginOptions plugins;
    ConfigFormat format = ConfigFormat::Yaml;
    config::Release release;
    config::GateFlags gates;
    std::string version;    ///< to be printed as; empty: the file's own
    bool expanded = false;  ///< every extension point with the plugins that are called there
};

/// What the one file says, or the built-in configuration, with the options' feature gates; its warnings are printed.
model::Result<config::Configuration> read_configuration(const ConfigOptions &options);

/// Each prints its answer on standard output and warnings on standard error, and returns the exit code.
int config_view(const ConfigOptions &options);
int config_convert(const ConfigOptions &options);
int config_validate(const ConfigOptions &options);
int config_rbac(const ConfigOptions &options);

/// `--write-config-to` of `berth run`: the merged configuration with the args that its plugins filled in, as a file.
int write_config(const config::Configuration &configuration, plugin::Catalog &catalog, const std::string &path);

/// Prints a value; returns the exit code.
int print(const config::MutableTree &value, ConfigFormat format);

}  // namespace berth::cli

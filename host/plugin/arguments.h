// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin's arguments in one profile, defaulted and validated by the plugin; faults get file and line.

#include "config/configuration.h"
#include "model/result.h"
#include "plugin/kubernetes.h"
#include "plugin/library.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin {

/// A plugin that a profile uses. Everything outlives its users.
struct PluginUse {
    const config::Configuration &configuration;
    std::size_t profile;                 ///< index in the configuration
    const config::PluginEntry &mention;  ///< the first entry that enables the plugin
    const LoadedPlugin &loaded;
    std::size_t config = 0;  ///< of several entries of pluginConfig for the plugin, which is an error, this one
    std::shared_ptr<KubernetesUse> kubernetes_use = std::make_shared<KubernetesUse>();  ///< what the plugin asks
};

struct Arguments {
    model::TreePtr tree;                         ///< an object
    std::string json;                            ///< the same as text
    std::vector<berth_str> left_to_extenders{};  ///< resources that extenders look after
};

/// The error is a complete text, one line per fault. No instance is made for it.
model::Result<Arguments> arguments_of(const PluginUse &use);

/// What a plugin gets at create; valid as long as both arguments.
berth_create_info create_info(const PluginUse &use, const Arguments &arguments);

/// An error of the plugin as a whole, where the configuration mentions it.
model::Error failed(const PluginUse &use, const std::string &text);

/// A path of berth_host_sinks.add_error as a JSON pointer: of "scoringStrategy.resources[0].weight" it is
/// "/scoringStrategy/resources/0/weight".
std::string pointer_of(std::string_view path);

}  // namespace berth::plugin

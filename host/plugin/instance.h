// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Making one instance of a plugin for one profile.

#include "plugin/host_context.h"
#include "plugin/library.h"
#include "plugin/profile.h"

namespace berth::plugin {

/// What an instance is made for. Everything outlives the call.
struct InstanceRequest {
    const config::Configuration &configuration;
    std::size_t profile;                 ///< index in the configuration
    const config::PluginEntry &mention;  ///< the first entry that enables the plugin
    const LoadedPlugin &loaded;
    const Services &services;
    std::shared_ptr<StateKeys> keys;
};

/// Defaults and validates the arguments, creates the instance, and asks what it declares and which events it waits for.
/// The error is a complete text, one line per fault.
model::Result<std::unique_ptr<Instance>> make_instance(const InstanceRequest &request);

/// "scoringStrategy.resources[0].weight" as a JSON pointer: "/scoringStrategy/resources/0/weight".
std::string pointer_of(std::string_view path);

}  // namespace berth::plugin

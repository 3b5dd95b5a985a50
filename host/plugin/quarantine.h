// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policy for quarantined plugins and for pods of the profiles that name them (--on-plugin-failure). Such plugins
/// crashed or kept failing, and are not called any more.

#include "config/configuration.h"
#include "plugin/profile.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace berth::plugin {

/// --on-plugin-failure
enum class OnFailure : std::uint8_t {
    FailPod,     ///< each attempt of such a pod fails, with the reason
    SkipPlugin,  ///< pods are scheduled as if the plugin were not in the profile
    StopProfile  ///< such pods are held back
};

struct Quarantined {
    std::string plugin;  ///< as in the configuration
    std::string why;     ///< a complete message
};

/// The configuration with none of these plugins: their libraries are not even opened.
config::Configuration without(config::Configuration configuration, std::span<const Quarantined> quarantined);

/// Has the profiles, built of what without() left of `configuration`, do to pods what the policy says.
void hold(std::vector<Profile> &profiles, const config::Configuration &configuration,
          std::span<const Quarantined> quarantined, OnFailure policy);

}  // namespace berth::plugin

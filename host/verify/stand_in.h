// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The stand-in plugins of a test's profile: queue sort, bind and a rejecting Filter.

#include "env/api.h"
#include "plugin/profile.h"

namespace berth::verify {

/// Puts an instance at every point that it has.
void enable(plugin::Profile &profile, plugin::Instance &instance);

/// First come, first served; binds through `api`, which outlives it.
plugin::Profile stand_in_profile(const std::string &scheduler_name, env::Api &api);

/// Adds to a profile that has the plugin's instance what it lacks, and a Filter that lets no node be overcommitted.
void complete(plugin::Profile &profile, env::Api &api);

}  // namespace berth::verify

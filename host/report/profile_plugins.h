// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The extension points and plugins of profiles, for reports.

#include "plugin/profile.h"
#include "report/plugin_list.h"

#include <span>

namespace berth::report {

/// Their points and plugins, these in the order of their names; without calls and failures.
PluginList plugin_list(std::span<const plugin::Profile> profiles);

}  // namespace berth::report

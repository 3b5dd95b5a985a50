// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What if, of a live cluster.

#include "cli/live.h"
#include "cli/questions.h"
#include "cli/reload_state.h"
#include "cli/what_if.h"

namespace berth::cli {

/// The cluster as it is when somebody asks, with the configuration in force then. Both outlive what it makes.
WhatIf::World present_world(Live &live, const ReloadStatus &status, Questions &questions, const PluginOptions &plugins,
                            std::uint64_t seed);

}  // namespace berth::cli

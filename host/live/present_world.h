// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cluster and configuration of a live scheduler, for the what-if API.

#include "api/questions.h"
#include "api/what_if.h"
#include "live/live.h"
#include "live/reload_state.h"

namespace berth::live {

/// The cluster as it is when somebody asks, with the configuration in force then. Both outlive what it makes.
api::WhatIf::World present_world(Live &live, const ReloadStatus &status, api::Questions &questions,
                                 const plugin::PluginOptions &plugins, std::uint64_t seed);

}  // namespace berth::live

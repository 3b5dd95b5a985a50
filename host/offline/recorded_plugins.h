// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The choice of the plugin libraries that a replay loads, by SHA-256. A recording may come from a stranger: it says
/// which libraries it was made with, but never chooses which are loaded. These are named by the command line, or lie in
/// a plugin directory under the recorded file's name.

#include "live/recording.h"
#include "plugin/catalog.h"
#include "plugin/profile.h"
#include "plugin/sources.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::offline {

/// What takes the place of what was recorded, and what may be loaded besides.
struct Instead {
    plugin::PluginOptions plugins;
    std::string config;                      ///< empty: the recorded one
    std::optional<config::Release> release;  ///< nothing: the recorded one
    bool allow_recorded = false;             ///< libraries are also taken from where the recording says that they were
    bool as_then = false;                    ///< the options only say where the recorded libraries may be found
};

/// The pins of a build's plugins that the options do not pin: each is the library that it was recorded with, by its
/// SHA-256. The error, which begins with `recording`, names one that is not found, where it was looked for and how to
/// give it.
model::Result<std::vector<plugin::Pin>> recorded_pins(const live::RecordedBuild &build, const Instead &instead,
                                                      const std::string &recording);

/// A line for each plugin of the profiles whose library is not the recorded one.
std::vector<std::string> other_libraries(const live::RecordedBuild &build, std::span<const plugin::Profile> profiles);

}  // namespace berth::offline

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The options of `berth upgrade`.

#include "config/release.h"
#include "plugin/sources.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::offline {

struct UpgradeOptions {
    std::vector<std::string> inputs;  ///< a recording, a directory of recordings, or what berth simulate reads
    std::optional<config::Release> from, to;
    std::string config, to_config;             ///< empty: the built-in one, the scenario's, or the recorded one
    std::vector<std::string> gates, to_gates;  ///< of --feature-gates; without `to_gates` they are the same
    plugin::PluginOptions plugins;
    bool allow_recorded_plugins = false;  ///< also libraries from where the recording says that they were
    bool skip_unknown = false;            ///< leaves out what is no Kubernetes object
    std::uint64_t seed = 1;
    bool all = false;
    enum class Format : std::uint8_t { Table, Json, Yaml } format = Format::Table;
};

}  // namespace berth::offline

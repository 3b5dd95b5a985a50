// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The replacements of plugins that older versions could name: data, from configs/defaults/upgrade.yaml.

#include "config/defaults.h"
#include "config/release.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::config {

/// A plugin that is now a strategy of another.
struct Folded {
    std::string name, into;
    ExtensionPoint point;
    model::Value args;                                       ///< of the other, always
    std::vector<std::pair<std::string, std::string>> moved;  ///< name of an argument, its path among the other's
};

/// A plugin whose lists of label names are now required terms of the affinity that another adds to every pod.
struct LabelLists {
    std::string name, into;
    ExtensionPoint point;
    std::vector<std::pair<std::string, std::string>> operators;  ///< name of a list, operator of each requirement
    std::vector<std::string> lost;                               ///< arguments without an equivalent
    std::string message;                                         ///< about those
};

struct UpgradeRules {
    std::vector<Folded> folded;
    std::vector<LabelLists> labels;
    std::vector<NamedPlugins> gone;
    std::vector<Hook> hooks;
    std::vector<std::pair<ExtensionPoint, std::string>> added;  ///< to every profile, in front
    decode::Document source;

    bool is_gone(std::string_view plugin) const;
    /// Why the release does not have the plugin; nothing for one that is not gone.
    std::optional<std::string> gone_because(std::string_view plugin, Release release) const;
};

/// Read once, at the first call; lives as long as the program.
const UpgradeRules &upgrade_rules();

}  // namespace berth::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The expansion of MultiPoint: the plugins of each extension point, in order, with score weights. These are stages of
/// kube-scheduler v1.36.3's framework/runtime/framework.go (updatePluginList, expandMultiPointPlugins,
/// getValidScoreWeights). Names only; no plugin is called.

#include "config/configuration.h"
#include "model/result.h"
#include "plugin/library.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin {

/// Whether the plugin of that name can be enabled at the point; nothing if there is no such plugin.
using Implements = std::function<std::optional<bool>(std::string_view name, model::ExtensionPoint point)>;

/// The release of Kubernetes as which the plugin decides.
config::Release release_for(const config::Configuration &configuration, std::string_view plugin);

/// Whether the plugin can be enabled at the point in a release of Kubernetes: the default plugins implement some points
/// for later ones. It does not matter how the configuration calls it.
bool can_be_enabled(const LoadedPlugin &plugin, model::ExtensionPoint point, config::Release release);

struct Expansion {
    std::array<std::vector<std::string>, model::extension_point_count> plugins;  ///< MultiPoint's is empty
    std::map<std::string, std::int64_t, std::less<>> weights;                    ///< of every Score plugin

    const std::vector<std::string> &at(model::ExtensionPoint point) const { return plugins[model::index(point)]; }
};

/// The error is upstream's own text with the place in front. `searched` says where plugins were looked for; it follows
/// the text that one does not exist, and then which of `known` may be meant.
model::Result<Expansion> expand(const config::Profile &profile, const Implements &implements, std::string_view searched,
                                const std::vector<std::string> &known = {});

/// What the profile disables that neither `known` nor the profile has, but whose name is like one of theirs: warnings.
/// kube-scheduler takes every name there.
std::vector<std::string> misspelt_disabled(const config::Profile &profile, const std::vector<std::string> &known);

/// Every enabled entry, each name once: MultiPoint's first, then in the order of the extension points.
std::vector<const config::PluginEntry *> needed_plugins(const config::Profile &profile);

}  // namespace berth::plugin

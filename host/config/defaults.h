// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The default plugins and default arguments of each version of the configuration, and the differences from v1. These
/// are data, compiled in from configs/defaults/, because no code of the host names a plugin.

#include "config/configuration.h"
#include "decode/document.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::config {

inline constexpr std::string_view group = "kubescheduler.config.k8s.io";
inline std::string api_version(std::string_view version) { return std::string(group) + '/' + std::string(version); }

/// Some plugins and what there is to say about each of them.
struct NamedPlugins {
    std::vector<std::string> plugins;
    std::string message;

    bool contain(std::string_view plugin) const;
};

/// Args that have a type in a version, and what that version filled in.
struct TypedArgs {
    std::string plugin;
    model::Value defaults;           ///< members that are filled in when they are absent
    model::Value inside;             ///< the same for members of members that are there
    model::Value when;               ///< by member: what is filled in first if that is a list with something in it
    std::vector<std::string> weigh;  ///< paths of lists of which an item without a weight gets 1
    bool free_form = false;          ///< they have no type; this is about what today's type needs
};

/// Plugins of one point that have to be enabled at another, too.
struct Hook {
    ExtensionPoint point, of;
    std::vector<std::string> plugins;
};

/// A point at which plugins of a library are not called, although they implement it.
struct WithoutPoint {
    std::vector<std::string> beside;  ///< plugins that the library has, too, whatever its file's name
    ExtensionPoint point;
    std::vector<std::string> plugins;
};

/// Plugins that the default profile has, behind all others, while a feature gate is on.
struct GatedPlugins {
    std::string gate;
    std::vector<std::string> plugins;
};

/// A field at the top of an old file that is now an argument, or a plugin that is left out.
struct MovedField {
    std::string field, plugin, argument;
};

/// `algorithmSource.provider`: one plugin of the default profile replaced, or none.
struct Provider {
    std::string name, replaced, by;
};

struct VersionDefaults {
    std::string version;                                          ///< "v1beta2"
    std::array<PluginSet, model::extension_point_count> plugins;  ///< the default profile
    std::vector<TypedArgs> typed_args;
    NamedPlugins removed;      ///< refused, with upstream's message
    NamedPlugins unsupported;  ///< refused wherever enabled: the ABI cannot express them
    std::vector<ExtensionPoint> unsupported_points;
    std::vector<WithoutPoint> without_points;
    std::vector<GatedPlugins> gated;

    // Of older versions alone.
    std::vector<std::string> fields;          ///< of the file
    std::vector<std::string> dropped_fields;  ///< without meaning today
    model::Value printed_fields;              ///< fields that v1 does not have, with their defaults
    std::vector<std::string> points;          ///< the sets of a profile, as the file names them
    std::vector<std::string> ignored_points;  ///< accepted and without effect
    std::vector<std::pair<std::string, std::string>> renamed_points;  ///< as the file names it, as v1 does
    std::vector<std::pair<std::string, std::string>> lock_names;      ///< the same for fields of leaderElection
    bool lenient = false;                                             ///< unknown fields are warned about, not refused
    bool one_profile = false;                                         ///< which is at the top of the file
    bool written_out = false;       ///< its default profile fills every point by itself, not multiPoint
    bool repeats = false;           ///< a default that is enabled again is enabled twice
    bool policy_extenders = false;  ///< extenders are written as in a Policy
    std::string resource_lock;      ///< its default, if that is not v1's
    std::vector<std::pair<ExtensionPoint, std::string>> built_in;  ///< what the scheduler did itself
    std::vector<Hook> hooks;
    std::vector<MovedField> became_args, became_disabled;
    std::vector<Provider> providers;

    decode::Document source;  ///< what the values above are part of

    std::string api_version() const { return config::api_version(version); }
    const PluginSet &at(ExtensionPoint point) const { return plugins[model::index(point)]; }
    /// What is said about the plugin's args, or null.
    const TypedArgs *args_of(std::string_view plugin) const;
    bool has_type(std::string_view plugin) const;  ///< whether its args have one
    /// Whether a plugin that implements the point is called there. `beside` tells which others its library has.
    bool calls(std::string_view plugin, ExtensionPoint point,
               const std::function<bool(std::string_view other)> &beside) const;
    /// The point whose set the file calls `key`.
    std::optional<ExtensionPoint> point_of_key(std::string_view key) const;
    /// How the file calls the set of a point; empty if this version does not have it.
    std::string key_of_point(ExtensionPoint point) const;
};

/// Those of `kubescheduler.config.k8s.io/<version>` in a release, in which older versions are the same; null for a
/// version that is not read. Read once, at the first call; lives as long as the program.
const VersionDefaults *defaults_of(std::string_view version, Release release = {});
const VersionDefaults &defaults_v1(Release release = {});
/// The versions that are read, the newest first.
const std::vector<std::string> &versions();

}  // namespace berth::config

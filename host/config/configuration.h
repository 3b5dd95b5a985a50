// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The configuration: one KubeSchedulerConfiguration, merged with the default profile, defaulted and validated. It has
/// the same form for every version of the file. Values; copied freely, used by any thread.

#include "config/extender.h"
#include "config/release.h"
#include "model/extension_point.h"
#include "model/value.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {
struct Document;
}

namespace berth::config {

using model::ExtensionPoint;

/// The position of something in a configuration file. Line and column count from 1; line 0 says that the file does not
/// contain it (it was defaulted) and the field path alone identifies it.
struct Place {
    std::string file;
    std::uint32_t line = 0, column = 0;
    std::string path;  ///< `profiles[0].plugins.score.enabled[2].weight`

    /// What a message about this place begins with: `scheduler.yaml:12:9: profiles[0].schedulerName`.
    std::string text() const;
};

struct PluginEntry {
    std::string name;
    std::int32_t weight = 0;  ///< 0 when the file gives none; it then counts as 1
    Place place;              ///< in the user's file or, for a default, in the built-in one
};

/// One extension point of a profile after the default plugins are merged.
struct PluginSet {
    std::vector<PluginEntry> enabled;
    std::vector<PluginEntry> disabled;  ///< kept: the MultiPoint expansion asks for it; may contain `*`

    bool disables(std::string_view name) const;
};

/// One entry of `pluginConfig`. `args` is what the file says; the plugin itself defaults and validates it.
struct PluginConfig {
    std::string name;
    /// Null when the entry has none. Where upstream knows the type of the args, their `apiVersion` and `kind` have been
    /// checked and taken off; otherwise the args are untouched.
    model::TreePtr args;
    Place place;
};

struct Profile {
    std::string scheduler_name;
    std::optional<std::int32_t> percentage_of_nodes_to_score;  ///< overrides the global one
    std::array<PluginSet, model::extension_point_count> plugins;
    std::vector<PluginConfig> plugin_config;  ///< names are unique
    Place place;

    const PluginSet &at(ExtensionPoint point) const { return plugins[model::index(point)]; }
    PluginSet &at(ExtensionPoint point) { return plugins[model::index(point)]; }
    /// The entry of that name, or null; of several, which validation refuses, the `nth` from 0.
    const PluginConfig *config_of(std::string_view plugin, std::size_t nth = 0) const;
};

struct LeaderElection {
    bool leader_elect = true;
    std::chrono::nanoseconds lease_duration = std::chrono::seconds{15};
    std::chrono::nanoseconds renew_deadline = std::chrono::seconds{10};
    std::chrono::nanoseconds retry_period = std::chrono::seconds{2};
    std::string resource_lock = "leases";
    std::string resource_namespace = "kube-system";
    std::string resource_name = "kube-scheduler";
};

struct ClientConnection {
    std::string kubeconfig;
    std::string accept_content_types;
    std::string content_type = "application/vnd.kubernetes.protobuf";
    double qps = 50;           ///< requests per second
    std::int32_t burst = 100;  ///< requests
};

/// What one plugin learns of Kubernetes instead of what the configuration says.
struct KubernetesInstead {
    std::optional<Release> release;
    std::map<std::string, std::optional<bool>, std::less<>> gates;  ///< by name; nothing: there is no such gate
};

/// Defaults are those of kube-scheduler (apis/config/v1/defaults.go).
struct Configuration {
    std::string version;  ///< whose rules made it: "v1", or in `as_written` the file's own
    Release release;      ///< no field: the flag --kubernetes-version
    std::int32_t parallelism = 16;
    LeaderElection leader_election;
    ClientConnection client_connection;
    bool enable_profiling = true;
    bool enable_contention_profiling = true;
    std::int32_t percentage_of_nodes_to_score = 0;  ///< 0: adaptive
    std::int64_t pod_initial_backoff_seconds = 1;
    std::int64_t pod_max_backoff_seconds = 10;
    std::chrono::nanoseconds longest_unschedulable = std::chrono::minutes{5};  ///< no field: a flag says it
    bool delay_cache_until_active = false;
    bool pops_from_backoff = true;        ///< no field: the feature gate SchedulerPopFromBackoffQ
    bool nominates_expected_node = true;  ///< no field: the feature gate NominatedNodeNameForExpectation
    bool schedules_groups = false;        ///< no field: the feature gate GenericWorkload
    std::string feature_gates;            ///< what FeatureGates::apply() changed: "Some=true,Other=false"
    /// By plugin; no field: a comparison of two configurations takes back changes one by one (config/changes.h).
    std::map<std::string, KubernetesInstead, std::less<>> instead;
    std::vector<Profile> profiles;  ///< at least one
    std::vector<Extender> extenders;

    /// What is accepted and yet without effect, each a complete message.
    std::vector<std::string> warnings;
    /// The file as one of v1, with the place of everything in it; null for the built-in configuration.
    std::shared_ptr<const decode::Document> source;
    /// What the file's own version makes of it; null if that is v1.
    std::shared_ptr<const Configuration> as_written;
    /// In `as_written`: the fields of the file that v1 does not have.
    model::TreePtr old_fields;

    /// The profile of that scheduler name, or null.
    const Profile *profile(std::string_view scheduler_name) const;
};

}  // namespace berth::config

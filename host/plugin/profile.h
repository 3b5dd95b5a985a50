// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A profile, ready to run: its plugin instances in order at every extension point (upstream: frameworkImpl).

#include "config/configuration.h"
#include "plugin/call_environment.h"
#include "plugin/selections.h"
#include "plugin/services.h"

#include <berth/berth.h>
#include <berth/draft/pod_groups.h>
#include <berth/draft/remedy.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::plugin {

class Catalog;
struct HostContext;

/// One event registration of an instance (berth.events/1).
struct EventInterest {
    std::string resource;  ///< "Pod", "AssignedPod", "Node", "*", or Kind::event_resource
    std::uint64_t actions = 0;
    bool has_hint = false;
    std::string long_name{};  ///< by which the plugin registered the resource; empty: by `resource`
};

/// One instance of a plugin, in one profile. A table is NULL where the plugin does not implement the point; whether it
/// is *enabled* there is said by the profile's lists.
struct Instance {
    std::string name;  ///< as in the configuration
    const berth_plugin *plugin = nullptr;
    void *self = nullptr;  ///< of the tables
    berth_host host{};
    const berth_plugin_pre_enqueue *pre_enqueue = nullptr;
    const berth_plugin_queue_sort *queue_sort = nullptr;
    const berth_plugin_events *events = nullptr;
    const berth_plugin_pre_filter *pre_filter = nullptr;
    const berth_plugin_pre_filter_ext *pre_filter_ext = nullptr;
    const berth_plugin_filter *filter = nullptr;
    const berth_plugin_post_filter *post_filter = nullptr;
    const berth_plugin_pre_score *pre_score = nullptr;
    const berth_plugin_score *score = nullptr;
    const berth_plugin_normalize *normalize = nullptr;
    const berth_plugin_reserve *reserve = nullptr;
    const berth_plugin_permit *permit = nullptr;
    const berth_plugin_pre_bind *pre_bind = nullptr;
    const berth_plugin_bind *bind = nullptr;
    const berth_plugin_post_bind *post_bind = nullptr;
    const berth_plugin_prepare *prepare = nullptr;
    const berth_plugin_sign *sign = nullptr;
    const berth_plugin_remedy *remedy = nullptr;
    const berth_plugin_placement_feasible *placement_feasible = nullptr;
    std::vector<EventInterest> interests;    ///< only if it is one of the points whose plugins may reject
    model::TreePtr args;                     ///< as the plugin's default_args made them
    std::shared_ptr<HostContext> context;    ///< behind `host`; private
    const CallEnvironment *calls = nullptr;  ///< of the calls to it; null: nothing is counted
    bool created = false;                    ///< `destroy` is owed
    bool shadow = false;                     ///< see Services
    const std::uint64_t id = next_id();      ///< of no other instance of this process, now or later

    Instance() = default;
    Instance(const Instance &) = delete;
    Instance &operator=(const Instance &) = delete;
    ~Instance();  ///< ends the plugin's instance
    Meter *meter() const { return calls ? calls->meter() : nullptr; }

private:
    static std::uint64_t next_id();
};

/// An instance at Score.
struct Scorer {
    Instance *instance = nullptr;
    std::int64_t weight = 1;
};

struct Profile {
    std::string scheduler_name;
    std::optional<std::int32_t> percentage_of_nodes_to_score;  ///< of the profile, else the global one; 0: adaptive
    std::vector<std::unique_ptr<Instance>> instances;
    std::vector<Instance *> pre_enqueue, pre_filter, filter, post_filter, pre_score, reserve, permit, pre_bind, bind,
        post_bind;
    std::vector<Instance *> placement_feasible;  ///< all that have the point: no configuration says which
    std::vector<Scorer> score;
    Instance *queue_sort = nullptr;
    Instance *extender_rejector = nullptr;  ///< stands for the extenders among those that reject; null: there are none
    Checks checks = Checks::Basic;
    const CallEnvironment *calls = nullptr;  ///< as of its instances

    Profile() = default;
    Profile(Profile &&) = default;
    Profile &operator=(Profile &&) = delete;
    ~Profile();  ///< destroys the instances in reverse order
    Meter *meter() const { return calls ? calls->meter() : nullptr; }
};

/// A kind, or the part of it that holds all that instances declare to watch, and their names, for messages.
struct Watched {
    model::Kind kind;
    std::vector<std::string> plugins;  ///< empty: the scheduler itself watches it
    detail::Selection part{};          ///< as an API server can be asked for it; the default is all
};
/// Adds what is watched of a kind: it is watched once, the part that holds all that is wanted.
void add_watched(std::vector<Watched> &to, Watched one);
/// The kinds beyond nodes and pods that the instances of these profiles watch, each once, in the order of their names.
std::vector<Watched> watched_kinds(std::span<const Profile> profiles);
/// These kinds, and those that they read without watching them.
std::vector<model::Kind> used_kinds(std::span<const Profile> profiles);

/// Builds every profile of a configuration as kube-scheduler v1.36.3 does (framework/runtime/framework.go,
/// NewFramework): needed plugins, default_args and create of each instance, specific sets, multiPoint expansion,
/// weights. The profiles are for the loop's thread. The error is a complete text, one line per fault, with file and
/// line; after it, every instance that had been made is ended.
model::Result<std::vector<Profile>> build_profiles(const config::Configuration &configuration, Catalog &catalog,
                                                   const Services &services);

}  // namespace berth::plugin

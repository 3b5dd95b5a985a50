// SPDX-License-Identifier: Apache-2.0
#include "config/v1.h"

#include "config/extenders.h"
#include "config/merge.h"
#include "config/plugin_set.h"

#include <algorithm>

namespace berth::config {
namespace {

// Upstream treats an empty string or a zero like an absent field.
void take(std::string &into, std::optional<std::string> given) {
    if (given && !given->empty()) into = std::move(*given);
}
template <class T>
void take_nonzero(T &into, std::optional<T> given) {
    if (given && *given != T{}) into = *given;
}

void read_leader_election(decode::Fields fields, LeaderElection &out) {
    out.leader_elect = fields.boolean("leaderElect").value_or(out.leader_elect);
    take_nonzero(out.lease_duration, fields.duration("leaseDuration"));
    take_nonzero(out.renew_deadline, fields.duration("renewDeadline"));
    take_nonzero(out.retry_period, fields.duration("retryPeriod"));
    take(out.resource_lock, fields.string("resourceLock"));
    take(out.resource_name, fields.string("resourceName"));
    take(out.resource_namespace, fields.string("resourceNamespace"));
    fields.finish();
}

void read_client_connection(decode::Fields fields, ClientConnection &out) {
    take(out.kubeconfig, fields.string("kubeconfig"));
    take(out.accept_content_types, fields.string("acceptContentTypes"));
    take(out.content_type, fields.string("contentType"));
    take_nonzero(out.qps, fields.number("qps"));
    take_nonzero(out.burst, fields.int32("burst"));
    fields.finish();
}

/// Args whose type upstream knows: checks that `apiVersion` and `kind`, if given, are that type's, and leaves them out.
model::TreePtr read_typed_args(const std::string &plugin, const std::string &api_version, decode::Fields args) {
    std::string kind = plugin + "Args";
    if (auto found = args.string("apiVersion"); found && !found->empty() && *found != api_version)
        args.error("apiVersion", "no kind \"" + kind + "\" is registered for version \"" + *found + "\", expected \"" +
                                     api_version + "\" or nothing");
    if (auto found = args.string("kind"); found && !found->empty() && *found != kind)
        args.error("kind", "args for plugin " + plugin + " were not of type " + kind + "." + std::string(group) +
                               ", got " + *found + "." + std::string(group));
    auto tree = std::make_shared<model::Tree>();
    std::vector<berth_kv> members;
    for (std::size_t i = 0; i < args.value().size(); ++i) {
        auto key = args.value().key(i);
        if (key == "apiVersion" || key == "kind") continue;
        members.push_back({model::to_str(tree->arena.copy(key)), model::copy(tree->arena, args.value().member(i))});
    }
    tree->root = model::make_object(tree->arena, members);
    return tree;
}

PluginConfig read_plugin_config(decode::Fields &fields, const VersionDefaults &defaults) {
    PluginConfig out;
    out.place = place_of(fields);
    out.name = fields.string("name").value_or("");
    if (defaults.has_type(out.name)) {
        if (auto args = fields.object("args"))
            out.args = read_typed_args(out.name, defaults.api_version(), std::move(*args));
    } else if (auto args = fields.any("args"); !args.is_null()) {
        auto tree = std::make_shared<model::Tree>();
        tree->root = model::copy(tree->arena, args);
        out.args = tree;
    }
    fields.finish();
    return out;
}

Profile read_profile(decode::Fields &fields, const VersionDefaults &defaults, bool only_one) {
    Profile out;
    out.place = place_of(fields);
    out.scheduler_name = fields.string("schedulerName").value_or(only_one ? "default-scheduler" : "");
    out.percentage_of_nodes_to_score = fields.int32("percentageOfNodesToScore");
    std::array<PluginSet, model::extension_point_count> own;
    if (auto plugins = fields.object("plugins")) {
        for (const auto &names : model::extension_points) {
            if (defaults.key_of_point(names.point).empty()) continue;
            if (auto set = plugins->object(names.key)) own[model::index(names.point)] = read_plugin_set(*set);
        }
        plugins->finish();
    }
    for (const auto &names : model::extension_points) {
        const auto &set = own[model::index(names.point)];
        auto &merged = out.at(names.point);
        merged = defaults.repeats ? append(defaults.at(names.point), set) : merge(defaults.at(names.point), set);
        // Versions that fill every point by themselves forget what was disabled once it is left out.
        if (defaults.written_out) merged.disabled.clear();
    }
    for (auto &entry : fields.objects("pluginConfig")) out.plugin_config.push_back(read_plugin_config(entry, defaults));
    fields.finish();
    return out;
}

}  // namespace

Configuration read_v1(decode::Fields &root, const VersionDefaults &defaults, decode::FieldErrors &errors) {
    Configuration out;
    out.version = defaults.version;
    if (!defaults.resource_lock.empty()) out.leader_election.resource_lock = defaults.resource_lock;
    out.parallelism = root.int32("parallelism").value_or(out.parallelism);
    if (auto fields = root.object("leaderElection")) read_leader_election(std::move(*fields), out.leader_election);
    if (auto fields = root.object("clientConnection"))
        read_client_connection(std::move(*fields), out.client_connection);
    out.enable_profiling = root.boolean("enableProfiling").value_or(out.enable_profiling);
    out.enable_contention_profiling = root.boolean("enableContentionProfiling").value_or(out.enable_profiling);
    out.percentage_of_nodes_to_score = root.int32("percentageOfNodesToScore").value_or(0);
    out.pod_initial_backoff_seconds = root.int64("podInitialBackoffSeconds").value_or(out.pod_initial_backoff_seconds);
    out.pod_max_backoff_seconds = root.int64("podMaxBackoffSeconds").value_or(out.pod_max_backoff_seconds);
    out.delay_cache_until_active = root.boolean("delayCacheUntilActive").value_or(false);
    out.extenders = read_extenders(root);

    auto profiles = root.objects("profiles");
    for (auto &profile : profiles) out.profiles.push_back(read_profile(profile, defaults, profiles.size() == 1));
    if (profiles.empty()) {
        decode::Fields nothing(root.document(), model::Value{}, root.path_of("profiles") + "[0]", errors);
        out.profiles.push_back(read_profile(nothing, defaults, true));
    }
    root.finish();
    return out;
}

}  // namespace berth::config

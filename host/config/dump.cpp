// SPDX-License-Identifier: Apache-2.0
#include "config/dump.h"

#include "config/extenders.h"
#include "config/go_format.h"
#include "config/legacy_defaults.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace berth::config {
namespace {

MutableTree text(std::string_view value) { return MutableTree::text(value, {}); }
MutableTree integer(std::int64_t value) { return MutableTree::integer(value, {}); }

MutableTree boolean(bool value) {
    auto raw = model::make_bool(value);
    return MutableTree::of(model::Value{&raw}, {});
}

MutableTree number(double value) {
    constexpr double exact = 1e15;
    if (std::trunc(value) == value && std::abs(value) < exact) return integer(static_cast<std::int64_t>(value));
    auto raw = model::make_double(value);
    return MutableTree::of(model::Value{&raw}, {});
}

class Dumper {
    const Configuration &configuration_;
    const VersionDefaults &version_;
    const ArgsOf &args_;

    bool has(std::string_view field) const {
        return version_.fields.empty() || std::ranges::find(version_.fields, field) != version_.fields.end();
    }

    MutableTree election() const {
        const auto &election = configuration_.leader_election;
        auto out = MutableTree::object({});
        out.put("leaderElect", boolean(election.leader_elect));
        out.put("leaseDuration", text(duration_text(election.lease_duration)));
        out.put("renewDeadline", text(duration_text(election.renew_deadline)));
        out.put("resourceLock", text(election.resource_lock));
        out.put("resourceName", text(election.resource_name));
        out.put("resourceNamespace", text(election.resource_namespace));
        out.put("retryPeriod", text(duration_text(election.retry_period)));
        for (const auto &[old_name, name] : version_.lock_names)
            if (const auto *value = out.find(name)) out.put(old_name, MutableTree(*value));
        return out;
    }

    MutableTree client() const {
        const auto &client = configuration_.client_connection;
        auto out = MutableTree::object({});
        out.put("acceptContentTypes", text(client.accept_content_types));
        out.put("burst", integer(client.burst));
        out.put("contentType", text(client.content_type));
        out.put("kubeconfig", text(client.kubeconfig));
        out.put("qps", number(client.qps));
        return out;
    }

    static MutableTree list(const std::vector<PluginEntry> &entries) {
        auto out = MutableTree::list({});
        for (const auto &entry : entries) {
            auto plugin = MutableTree::object({});
            plugin.put("name", text(entry.name));
            plugin.put("weight", integer(entry.weight));
            out.add(std::move(plugin));
        }
        return out;
    }

    MutableTree plugins(const Profile &profile) const {
        auto out = MutableTree::object({});
        for (const auto &names : model::extension_points) {
            auto key = version_.key_of_point(names.point);
            if (key.empty()) continue;
            const auto &set = profile.at(names.point);
            auto printed = MutableTree::object({});
            if (!set.enabled.empty()) printed.put("enabled", list(set.enabled));
            if (!set.disabled.empty()) printed.put("disabled", list(set.disabled));
            out.put(key, std::move(printed));
        }
        return out;
    }

    MutableTree configs(std::size_t index) const {
        std::set<std::string> names;
        for (const auto &set : configuration_.profiles[index].plugins)
            for (const auto &entry : set.enabled) names.insert(entry.name);
        auto out = MutableTree::list({});
        for (const auto &name : names) {
            auto args = args_(index, name);
            if (!args) continue;
            auto printed = MutableTree::of(args->value(), {});
            if (version_.has_type(name)) {
                printed.prune();
                printed.put("apiVersion", text(version_.api_version()));
                printed.put("kind", text(name + "Args"));
            }
            auto config = MutableTree::object({});
            config.put("name", text(name));
            config.put("args", std::move(printed));
            out.add(std::move(config));
        }
        return out;
    }

    void put_profile(std::size_t index, MutableTree &into) const {
        const auto &profile = configuration_.profiles[index];
        into.put("schedulerName", text(profile.scheduler_name));
        if (profile.percentage_of_nodes_to_score && version_.fields.empty())
            into.put("percentageOfNodesToScore", integer(*profile.percentage_of_nodes_to_score));
        into.put("plugins", plugins(profile));
        if (auto printed = configs(index); !printed.items().empty()) into.put("pluginConfig", std::move(printed));
    }

public:
    Dumper(const Configuration &configuration, const VersionDefaults &version, const ArgsOf &args)
        : configuration_(configuration), version_(version), args_(args) {}

    MutableTree dump() const {
        auto out = MutableTree::object({});
        auto put = [&](const char *field, MutableTree value) {
            if (has(field)) out.put(field, std::move(value));
        };
        const auto &c = configuration_;
        out.put("apiVersion", text(version_.api_version()));
        out.put("kind", text("KubeSchedulerConfiguration"));
        put("parallelism", integer(c.parallelism));
        put("leaderElection", election());
        put("clientConnection", client());
        put("enableProfiling", boolean(c.enable_profiling));
        put("enableContentionProfiling", boolean(c.enable_contention_profiling));
        put("percentageOfNodesToScore", integer(c.percentage_of_nodes_to_score));
        put("podInitialBackoffSeconds", integer(c.pod_initial_backoff_seconds));
        put("podMaxBackoffSeconds", integer(c.pod_max_backoff_seconds));
        if (c.delay_cache_until_active) put("delayCacheUntilActive", boolean(true));
        if (!c.extenders.empty()) put("extenders", dump_extenders(c.extenders, version_));
        auto old = c.old_fields ? c.old_fields->value() : model::Value{};
        for (std::size_t i = 0; i < version_.printed_fields.size(); ++i) {
            auto key = version_.printed_fields.key(i);
            out.put(key, MutableTree::of(old[key] ? old[key] : version_.printed_fields.member(i), {}));
        }
        if (version_.one_profile) {
            put_profile(0, out);
        } else {
            auto profiles = MutableTree::list({});
            for (std::size_t i = 0; i < c.profiles.size(); ++i) {
                auto profile = MutableTree::object({});
                put_profile(i, profile);
                profiles.add(std::move(profile));
            }
            out.put("profiles", std::move(profiles));
        }
        out.sort();
        return out;
    }
};

}  // namespace

MutableTree dump(const Configuration &configuration, const VersionDefaults &version, const ArgsOf &args) {
    return Dumper(configuration, version, args).dump();
}

Configuration without_keys(Configuration configuration) {
    for (auto &extender : configuration.extenders)
        if (extender.tls) extender.tls->key_data.clear();
    return configuration;
}

std::vector<std::string> without_room(const Configuration &configuration, const VersionDefaults &version) {
    std::vector<std::string> out;
    if (version.fields.empty()) return out;
    auto lacks = [&](const std::string &what) { out.push_back(what + ": " + version.version + " has no such field"); };
    auto has = [&](std::string_view field) { return std::ranges::find(version.fields, field) != version.fields.end(); };
    if (configuration.delay_cache_until_active) lacks("delayCacheUntilActive");
    if (!has("parallelism") && configuration.parallelism != Configuration{}.parallelism) lacks("parallelism");
    if (!has("extenders") && !configuration.extenders.empty()) lacks("extenders");
    for (std::size_t i = 0; i < configuration.profiles.size(); ++i) {
        const auto &profile = configuration.profiles[i];
        auto path = "profiles[" + std::to_string(i) + ']';
        if (version.one_profile && i > 0) {
            lacks(path);
            continue;
        }
        if (profile.percentage_of_nodes_to_score) lacks(path + ".percentageOfNodesToScore");
        for (const auto &names : model::extension_points) {
            const auto &enabled = profile.at(names.point).enabled;
            auto key = version.key_of_point(names.point);
            bool ignored = std::ranges::find(version.ignored_points, key) != version.ignored_points.end();
            if (enabled.empty() || (!key.empty() && !ignored)) continue;
            std::string plugins;
            for (const auto &entry : enabled) plugins += (plugins.empty() ? "" : ", ") + quoted(entry.name);
            out.push_back(path + ".plugins." + std::string(names.key) + ": " + version.version +
                          (ignored ? " gives it no effect" : " has no such extension point") + "; it had " + plugins);
        }
    }
    return out;
}

model::TreePtr legacy_args(const Configuration &configuration, std::size_t profile, std::string_view plugin) {
    const auto *version = defaults_of(configuration.version, configuration.release);
    const auto *rules = version ? version->args_of(plugin) : nullptr;
    const auto *own = configuration.profiles[profile].config_of(plugin);
    auto args = own ? own->args : nullptr;
    if (!rules || rules->free_form) return args;
    auto filled = args && args->value().is_object() ? MutableTree::of(args->value(), {}) : MutableTree::object({});
    fill(filled, *rules);
    return filled.tree();
}

}  // namespace berth::config

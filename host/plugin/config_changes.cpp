// SPDX-License-Identifier: Apache-2.0
#include "plugin/config_changes.h"

#include "config/feature_gates.h"
#include "decode/write.h"
#include "plugin/host_context.h"
#include "plugin/merged_config.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace berth::plugin {
namespace {

using config::Configuration;
using config::PluginEntry;
using model::ExtensionPoint;
using What = ConfigChange::What;

constexpr std::array what_names{"Enabled", "Weight", "Arguments", "Release", "Gate", "Sampling"};

template <class Visit>
void each_point(Visit visit) {
    for (std::size_t i = 0; i < model::extension_point_count; ++i)
        if (const auto point = static_cast<ExtensionPoint>(i); point != ExtensionPoint::MultiPoint) visit(point);
}

/// The entry that names the plugin first, for its place.
const PluginEntry &mention(const config::Profile &profile, std::string_view name) {
    for (const auto *entry : needed_plugins(profile))
        if (entry->name == name) return *entry;
    static const PluginEntry none;
    return none;
}

/// Every plugin at each point where it is called.
Configuration with_names(const Configuration &configuration, const Inspections &inspections) {
    auto out = configuration;
    for (std::size_t i = 0; i < out.profiles.size(); ++i) {
        const auto &inspected = inspections[i];
        const auto &wanted = configuration.profiles[i];
        auto &profile = out.profiles[i];
        profile.at(ExtensionPoint::MultiPoint) = {};
        each_point([&](ExtensionPoint point) {
            auto &set = profile.at(point) = {};
            for (const auto &name : inspected.expansion->at(point)) {
                auto entry = mention(wanted, name);
                entry.weight = 0;
                if (point == ExtensionPoint::Score)
                    entry.weight = static_cast<std::int32_t>(inspected.expansion->weights.find(name)->second);
                set.enabled.push_back(std::move(entry));
            }
        });
    }
    return out;
}

const PluginEntry *find(const std::vector<PluginEntry> &entries, std::string_view name) {
    const auto at = std::ranges::find(entries, name, &PluginEntry::name);
    return at == entries.end() ? nullptr : &*at;
}

/// The plugins of both that are not in a longest common subsequence: as few as possible have to move.
std::set<std::string_view> moved(const std::vector<PluginEntry> &then, const std::vector<PluginEntry> &now) {
    std::vector<std::string_view> a, b;
    for (const auto &entry : then)
        if (find(now, entry.name)) a.push_back(entry.name);
    for (const auto &entry : now)
        if (find(then, entry.name)) b.push_back(entry.name);
    // longest[i][j]: of what begins at a[i] and b[j].
    std::vector longest(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (auto i = a.size(); i-- > 0;)
        for (auto j = b.size(); j-- > 0;)
            longest[i][j] = a[i] == b[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    std::set<std::string_view> out;
    for (std::size_t i = 0, j = 0; i < a.size();) {
        if (j < b.size() && a[i] == b[j]) ++i, ++j;
        else if (j == b.size() || longest[i + 1][j] >= longest[i][j + 1]) out.insert(a[i++]);
        else ++j;
    }
    return out;
}

/// The plugins that get back their place at points of both configurations, and those that get back their points.
struct TakenBack {
    std::set<std::string_view> places, points;
};

void take_back_at(const std::vector<PluginEntry> &then, std::vector<PluginEntry> &now, const TakenBack &names) {
    const auto was = now;
    auto goes = [&](const PluginEntry &entry) {
        return (find(then, entry.name) ? names.places : names.points).contains(entry.name);
    };
    std::erase_if(now, goes);
    auto place = now.begin();
    for (auto entry : then) {
        const auto at = std::ranges::find(now, entry.name, &PluginEntry::name);
        if (at != now.end()) {
            place = std::next(at);
            continue;
        }
        const auto *today = find(was, entry.name);
        if (!(today ? names.places : names.points).contains(entry.name)) continue;
        if (today) entry.weight = today->weight;
        place = std::next(now.insert(place, std::move(entry)));
    }
}

std::set<std::string> plugins_of(const config::Profile &profile) {
    std::set<std::string> out;
    each_point([&](ExtensionPoint point) {
        for (const auto &entry : profile.at(point).enabled) out.insert(entry.name);
    });
    return out;
}

/// The points at which it is called: "Filter, Score"; "nowhere".
std::string points_text(const config::Profile &profile, std::string_view plugin) {
    std::string out;
    each_point([&](ExtensionPoint point) {
        if (!find(profile.at(point).enabled, plugin)) return;
        out += (out.empty() ? "" : ", ") + std::string(model::names(point).display);
    });
    return out.empty() ? "nowhere" : out;
}

/// Where entries of the profile name the plugin, or disable it with all others.
std::vector<std::pair<ExtensionPoint, bool>> listed(const config::Profile &profile, std::string_view plugin,
                                                    const std::set<ExtensionPoint> &points) {
    std::vector<std::pair<ExtensionPoint, bool>> out;
    for (std::size_t i = 0; i < model::extension_point_count; ++i) {
        const auto point = static_cast<ExtensionPoint>(i);
        for (const auto &entry : profile.at(point).enabled)
            if (entry.name == plugin) out.emplace_back(point, true);
        for (const auto &entry : profile.at(point).disabled)
            if (entry.name == plugin || (entry.name == "*" && points.contains(point))) out.emplace_back(point, false);
    }
    return out;
}

model::Value args_of(const config::Profile &profile, std::string_view plugin) {
    const auto *own = profile.config_of(plugin);
    return own && own->args ? own->args->value() : model::Value{};
}

void add_apart(model::Value one, model::Value other, const std::string &path, std::string &out) {
    for (std::size_t i = 0; i < one.size(); ++i) {
        const auto mine = one.member(i), theirs = other[one.key(i)];
        const auto name = path + std::string(one.key(i));
        if (model::equal(mine, theirs)) continue;
        if (mine.is_object() && theirs.is_object()) add_apart(mine, theirs, name + ".", out);
        else out += (out.empty() ? "" : ", ") + name + ": " + decode::to_json(mine);
    }
}

/// What the first has in members that the second has not alike: "path.to.member: json, …"; "none".
std::string members_apart(model::Value one, model::Value other) {
    std::string out;
    add_apart(one, other, {}, out);
    return out.empty() ? "none" : out;
}

std::optional<std::int32_t> weight_of(const config::Profile &profile, std::string_view plugin) {
    const auto *entry = find(profile.at(ExtensionPoint::Score).enabled, plugin);
    return entry ? std::optional(entry->weight) : std::nullopt;
}

std::int32_t sampling(const Configuration &configuration, const config::Profile &profile) {
    return profile.percentage_of_nodes_to_score.value_or(configuration.percentage_of_nodes_to_score);
}

std::optional<bool> gate_of(const Configuration &configuration, std::string_view name) {
    return config::gate_in(configuration.release, configuration.feature_gates, name);
}

std::string gate_text(std::optional<bool> value) { return !value ? "unknown" : *value ? "on" : "off"; }

}  // namespace

std::string_view name_of(ConfigChange::What what) { return what_names[static_cast<std::size_t>(what)]; }

KubernetesUses kubernetes_uses(std::span<const Profile> profiles) {
    KubernetesUses out;
    for (const auto &profile : profiles)
        for (const auto &instance : profile.instances)
            if (instance->context) {
                auto &use = out[instance->name];
                if (!use) use = std::make_shared<KubernetesUse>();
                const auto &own = *instance->context->kubernetes_use;
                if (own.release()) use->add_release();
                for (const auto &gate : own.gates()) use->add_gate(gate);
            }
    return out;
}

model::Result<ConfigPair::Side> ConfigPair::side_of(const Configuration &configuration, Catalog &catalog) {
    auto inspections = inspect_args(configuration, catalog);
    if (!inspections) return inspections.error();
    for (const auto &profile : *inspections)
        if (!profile.faults.empty()) return model::Error{profile.faults.front()};
    auto named = with_names(configuration, *inspections);
    return Side{configuration, std::move(named), *std::move(inspections)};
}

model::Result<ConfigPair> ConfigPair::of(const Configuration &before, const Configuration &after, Catalog &catalog) {
    auto then = side_of(before, catalog);
    if (!then) return then.error();
    auto now = side_of(after, catalog);
    if (!now) return now.error();
    return ConfigPair(*std::move(then), *std::move(now));
}

bool ConfigPair::listed_alike(std::string_view profile, std::string_view plugin) const {
    std::set<ExtensionPoint> points{ExtensionPoint::MultiPoint};
    for (const auto *side : {&before_, &after_})
        each_point([&](ExtensionPoint point) {
            const auto &entries = side->written.profile(profile)->at(point).enabled;
            if (find(entries, plugin) || find(side->named.profile(profile)->at(point).enabled, plugin))
                points.insert(point);
        });
    return listed(*before_.written.profile(profile), plugin, points) ==
           listed(*after_.written.profile(profile), plugin, points);
}

void ConfigPair::add_changes(std::string_view profile, std::set<ConfigChange> &out) const {
    const auto &was = *before_.named.profile(profile), &is = *after_.named.profile(profile);
    const auto &args_were = before_.inspections[static_cast<std::size_t>(&was - before_.named.profiles.data())].args;
    const auto &args_are = after_.inspections[static_cast<std::size_t>(&is - after_.named.profiles.data())].args;
    auto add = [&](What what, const std::string &plugin, std::string then, std::string now) {
        ConfigChange one{what, plugin, {}, std::move(then), std::move(now)};
        // Another profile may change otherwise; what is taken back is taken back in both.
        if (const auto at = out.find(one); at != out.end() && (at->before != one.before || at->after != one.after)) {
            one.before = at->before + "; " + one.before;
            one.after = at->after + "; " + one.after;
            out.erase(at);
        }
        out.insert(std::move(one));
    };
    auto plugins = plugins_of(was);
    plugins.merge(plugins_of(is));
    std::set<std::string_view> others_first;
    each_point([&](ExtensionPoint point) { others_first.merge(moved(was.at(point).enabled, is.at(point).enabled)); });
    for (const auto &name : plugins) {
        const auto points_then = points_text(was, name), points_now = points_text(is, name);
        if (points_then != points_now) {
            if (!listed_alike(profile, name)) add(What::Enabled, name, points_then, points_now);
            else add(What::Release, name, before_.written.release.text(), after_.written.release.text());
        } else if (others_first.contains(name)) {
            add(What::Enabled, name, "in another order", points_now);
        }
        const auto then = weight_of(was, name), now = weight_of(is, name);
        if (then && now && *then != *now) add(What::Weight, name, std::to_string(*then), std::to_string(*now));
        // Arguments that neither file has differ because of what fills them in: the release and its gates.
        const auto args_then = args_were.find(name), args_now = args_are.find(name);
        if (args_then == args_were.end() || args_now == args_are.end() ||
            model::equal(args_of(was, name), args_of(is, name)))
            continue;
        const auto in_force_then = args_then->second->value(), in_force_now = args_now->second->value();
        if (!model::equal(in_force_then, in_force_now))
            add(What::Arguments, name, members_apart(in_force_then, in_force_now),
                members_apart(in_force_now, in_force_then));
    }
    if (sampling(before_.written, was) != sampling(after_.written, is))
        add(What::Sampling, {}, std::to_string(sampling(before_.written, was)),
            std::to_string(sampling(after_.written, is)));
}

std::vector<ConfigChange> ConfigPair::changes(const KubernetesUses &before, const KubernetesUses &after) const {
    std::set<ConfigChange> out;
    for (const auto &profile : after_.named.profiles)
        if (before_.named.profile(profile.scheduler_name)) add_changes(profile.scheduler_name, out);
    const auto &then = before_.written, &now = after_.written;
    for (const auto *uses : {&before, &after})
        for (const auto &[plugin, use] : *uses) {
            if (use->release() && then.release != now.release)
                out.insert({What::Release, plugin, {}, then.release.text(), now.release.text()});
            for (const auto &gate : use->gates()) {
                const auto was = gate_of(then, gate), is = gate_of(now, gate);
                if (was != is) out.insert({What::Gate, plugin, gate, gate_text(was), gate_text(is)});
            }
        }
    return {out.begin(), out.end()};
}

void ConfigPair::take_back(std::span<const ConfigChange> changes, const config::Profile &was,
                           config::Profile &is) const {
    TakenBack names;
    for (const auto &change : changes) {
        const auto &plugin = change.plugin;
        switch (change.what) {
            case What::Release:
                if (!listed_alike(is.scheduler_name, plugin)) break;
                names.points.insert(plugin);
                if (points_text(was, plugin) != points_text(is, plugin)) names.places.insert(plugin);
                break;
            case What::Gate: break;
            case What::Enabled:
                names.places.insert(plugin);
                if (!listed_alike(is.scheduler_name, plugin)) names.points.insert(plugin);
                break;
            case What::Weight:
                for (auto &entry : is.at(ExtensionPoint::Score).enabled)
                    if (entry.name == plugin) entry.weight = weight_of(was, plugin).value_or(entry.weight);
                break;
            case What::Arguments:
                std::erase_if(is.plugin_config, [&](const auto &one) { return one.name == plugin; });
                if (const auto *then = was.config_of(plugin)) is.plugin_config.push_back(*then);
                break;
            case What::Sampling: is.percentage_of_nodes_to_score = sampling(before_.written, was); break;
        }
    }
    each_point([&](ExtensionPoint point) { take_back_at(was.at(point).enabled, is.at(point).enabled, names); });
}

Configuration ConfigPair::without(std::span<const ConfigChange> changes) const {
    auto out = after_.named;
    for (const auto &change : changes) {
        if (change.what == What::Release) out.instead[change.plugin].release = before_.written.release;
        if (change.what == What::Gate)
            out.instead[change.plugin].gates[change.gate] = gate_of(before_.written, change.gate);
    }
    for (auto &profile : out.profiles)
        if (const auto *was = before_.named.profile(profile.scheduler_name)) take_back(changes, *was, profile);
    return out;
}

}  // namespace berth::plugin

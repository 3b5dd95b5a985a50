// SPDX-License-Identifier: Apache-2.0
#include "plugin/profile.h"

#include "config/defaults.h"
#include "plugin/catalog.h"
#include "plugin/expansion.h"
#include "plugin/fault.h"
#include "plugin/host_context.h"
#include "plugin/instance.h"

#include <algorithm>
#include <map>

namespace berth::plugin {
namespace {

using model::ExtensionPoint;

model::Error at(const config::Place &place, const std::string &text) { return {place.text() + ": " + text}; }

/// Builds one profile of a configuration.
class Builder {
    const config::Configuration &configuration_;
    std::size_t index_;
    const config::Profile &wanted_;
    Catalog &catalog_;
    std::map<std::string, const LoadedPlugin *, std::less<>> loaded_;
    std::map<std::string, Instance *, std::less<>> made_;
    Profile profile_;

    model::Result<void> make_instances(const Services &services, const std::shared_ptr<StateKeys> &keys) {
        profile_.calls = services.calls;
        for (const auto *entry : needed_plugins(wanted_)) {
            auto loaded = catalog_.find(entry->name);
            if (!loaded) return at(entry->place, loaded.error().text);
            if (!*loaded) continue;  // the expansion says so, for the point that asks first
            loaded_.emplace(entry->name, *loaded);
            auto made = make_instance({{configuration_, index_, *entry, **loaded}, services, keys});
            if (!made) return made.error();
            profile_.instances.push_back(*std::move(made));
            made_.emplace(entry->name, profile_.instances.back().get());
        }
        return {};
    }

    std::optional<bool> implements(std::string_view name, ExtensionPoint point) const {
        auto at = loaded_.find(name);
        if (at == loaded_.end()) return std::nullopt;
        return can_be_enabled(*at->second, point, release_for(configuration_, name));
    }

    std::vector<Instance *> list(const Expansion &expansion, ExtensionPoint point) const {
        std::vector<Instance *> out;
        for (const auto &name : expansion.at(point)) out.push_back(made_.find(name)->second);
        return out;
    }

    void fill(const Expansion &expansion) {
        profile_.scheduler_name = wanted_.scheduler_name;
        profile_.percentage_of_nodes_to_score =
            wanted_.percentage_of_nodes_to_score.value_or(configuration_.percentage_of_nodes_to_score);
        profile_.pre_enqueue = list(expansion, ExtensionPoint::PreEnqueue);
        profile_.pre_filter = list(expansion, ExtensionPoint::PreFilter);
        profile_.filter = list(expansion, ExtensionPoint::Filter);
        profile_.post_filter = list(expansion, ExtensionPoint::PostFilter);
        profile_.pre_score = list(expansion, ExtensionPoint::PreScore);
        profile_.reserve = list(expansion, ExtensionPoint::Reserve);
        profile_.permit = list(expansion, ExtensionPoint::Permit);
        profile_.pre_bind = list(expansion, ExtensionPoint::PreBind);
        profile_.bind = list(expansion, ExtensionPoint::Bind);
        profile_.post_bind = list(expansion, ExtensionPoint::PostBind);
        for (const auto &instance : profile_.instances)
            if (instance->placement_feasible) profile_.placement_feasible.push_back(instance.get());
        for (auto *instance : list(expansion, ExtensionPoint::Score))
            profile_.score.push_back({instance, expansion.weights.find(instance->name)->second});
        profile_.queue_sort = list(expansion, ExtensionPoint::QueueSort).front();
    }

public:
    Builder(const config::Configuration &configuration, std::size_t index, Catalog &catalog)
        : configuration_(configuration), index_(index), wanted_(configuration.profiles[index]), catalog_(catalog) {}

    model::Result<Profile> build(const Services &services, const std::shared_ptr<StateKeys> &keys) {
        const auto &args = wanted_.plugin_config;
        for (auto it = args.begin(); it != args.end(); ++it)
            if (std::find_if(args.begin(), it, [&](const auto &other) { return other.name == it->name; }) != it)
                return at(it->place, "repeated config for plugin " + it->name);
        if (auto ok = make_instances(services, keys); !ok) return ok.error();
        auto expansion = expand(
            wanted_, [&](std::string_view name, ExtensionPoint point) { return implements(name, point); },
            catalog_.searched(), catalog_.offered_names());
        if (!expansion) return expansion.error();
        for (const auto &text : misspelt_disabled(wanted_, catalog_.offered_names())) catalog_.warn(text);
        fill(*expansion);
        profile_.checks = services.checks;
        return std::move(profile_);
    }
};

/// There is one queue, so every profile must sort it alike.
model::Result<void> check_same_sort(const config::Place &place, const Profile &first, const Profile &other) {
    auto name = in_quotes(other.scheduler_name);
    if (first.queue_sort->name != other.queue_sort->name)
        return at(place, "different queue sort plugins for profile " + name + ": " + in_quotes(other.queue_sort->name) +
                             ", first: " + in_quotes(first.queue_sort->name));
    if (!model::equal(first.queue_sort->args->value(), other.queue_sort->args->value()))
        return at(place, "different queue sort plugin args for profile " + name);
    return {};
}

}  // namespace

Profile::~Profile() {
    while (!instances.empty()) instances.pop_back();
}

void add_watched(std::vector<Watched> &to, Watched one) {
    const auto at = std::ranges::find(to, one.kind, &Watched::kind);
    if (at == to.end()) return to.push_back(std::move(one));
    at->part = at->part.shared_with(one.part);
    if (at->plugins.empty()) return;
    for (auto &plugin : one.plugins)
        if (std::ranges::count(at->plugins, plugin) == 0) at->plugins.push_back(std::move(plugin));
}

std::vector<Watched> watched_kinds(std::span<const Profile> profiles) {
    std::vector<Watched> out;
    for (const auto &profile : profiles)
        for (const auto &instance : profile.instances) {
            if (!instance->context) continue;  // it stands for the extenders
            for (const auto &kind : instance->context->kinds) {
                const auto *selected = instance->context->selections.of(kind);
                if (!selected) add_watched(out, {kind, {instance->name}});
                else
                    for (const auto &one : *selected) add_watched(out, {kind, {instance->name}, one.without_fields()});
            }
        }
    std::ranges::sort(out, {}, [](const Watched &one) { return one.kind.text(); });
    return out;
}

std::vector<model::Kind> used_kinds(std::span<const Profile> profiles) {
    std::vector<model::Kind> out;
    for (auto &watched : watched_kinds(profiles)) out.push_back(std::move(watched.kind));
    for (const auto &profile : profiles)
        for (const auto &instance : profile.instances) {
            if (!instance->context) continue;  // it stands for the extenders
            for (const auto &kind : instance->context->read_kinds)
                if (!in_snapshot(kind.text()) && std::ranges::count(out, kind) == 0) out.push_back(kind);
        }
    return out;
}

model::Result<std::vector<Profile>> build_profiles(const config::Configuration &configuration, Catalog &catalog,
                                                   const Services &services) {
    auto keys = std::make_shared<StateKeys>();
    std::vector<Profile> out;
    for (std::size_t i = 0; i < configuration.profiles.size(); ++i) {
        const auto &wanted = configuration.profiles[i];
        auto profile = Builder(configuration, i, catalog).build(services, keys);
        if (!profile) return profile.error();
        if (wanted.scheduler_name.empty()) return at(wanted.place, "scheduler name is needed");
        for (const auto &other : out)
            if (other.scheduler_name == wanted.scheduler_name)
                return at(wanted.place, "duplicate profile with scheduler name " + in_quotes(wanted.scheduler_name));
        out.push_back(*std::move(profile));
        if (auto ok = check_same_sort(wanted.place, out.front(), out.back()); !ok) return ok.error();
    }
    return out;
}

}  // namespace berth::plugin

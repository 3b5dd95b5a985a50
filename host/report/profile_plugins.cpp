// SPDX-License-Identifier: Apache-2.0
#include "report/profile_plugins.h"

#include "model/extension_point.h"
#include "plugin/loaded.h"

#include <map>

namespace berth::report {
namespace {

std::vector<PluginList::Point> points_of(const plugin::Profile &profile) {
    using model::ExtensionPoint;
    std::vector<PluginList::Point> out;
    auto add = [&](ExtensionPoint point, const std::vector<plugin::Instance *> &instances) {
        PluginList::Point one{std::string(model::names(point).display), {}};
        for (const auto *instance : instances) one.plugins.push_back({instance->name, {}});
        if (!one.plugins.empty()) out.push_back(std::move(one));
    };
    add(ExtensionPoint::PreEnqueue, profile.pre_enqueue);
    if (profile.queue_sort) add(ExtensionPoint::QueueSort, {profile.queue_sort});
    add(ExtensionPoint::PreFilter, profile.pre_filter);
    add(ExtensionPoint::Filter, profile.filter);
    add(ExtensionPoint::PostFilter, profile.post_filter);
    add(ExtensionPoint::PreScore, profile.pre_score);
    PluginList::Point score{std::string(model::names(ExtensionPoint::Score).display), {}};
    for (const auto &scorer : profile.score) score.plugins.push_back({scorer.instance->name, scorer.weight});
    if (!score.plugins.empty()) out.push_back(std::move(score));
    add(ExtensionPoint::Reserve, profile.reserve);
    add(ExtensionPoint::Permit, profile.permit);
    add(ExtensionPoint::PreBind, profile.pre_bind);
    add(ExtensionPoint::Bind, profile.bind);
    add(ExtensionPoint::PostBind, profile.post_bind);
    return out;
}

}  // namespace

PluginList plugin_list(std::span<const plugin::Profile> profiles) {
    PluginList out;
    std::map<std::string, PluginList::Plugin> plugins;
    for (const auto &profile : profiles) {
        out.profiles.push_back({profile.scheduler_name, points_of(profile)});
        for (const auto &instance : profile.instances) {
            const auto from = instance->plugin ? plugin::loaded_from(instance->plugin) : std::nullopt;
            if (!from) continue;
            plugins[instance->name] = {
                instance->name, from->file, std::string(model::view(instance->plugin->version)), {}, 0, {}, from->fd};
        }
    }
    for (auto &[name, one] : plugins) out.plugins.push_back(std::move(one));
    return out;
}

}  // namespace berth::report

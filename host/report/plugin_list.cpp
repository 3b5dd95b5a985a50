// SPDX-License-Identifier: Apache-2.0
#include "report/plugin_list.h"

#include "report/answer_values.h"

namespace berth::report {
namespace {

using model::ArrayBuilder;
using model::ObjectBuilder;

/// The points of the profile, and those at which its plugins were called besides.
std::vector<PluginList::Point> points_of(const PluginList &list, const PluginList::Profile &profile) {
    auto out = profile.points;
    for (const auto &one : list.calls) {
        if (one.profile != profile.name) continue;
        if (std::ranges::count(profile.points, one.point, &PluginList::Point::name) > 0) continue;
        auto at = std::ranges::find(out, one.point, &PluginList::Point::name);
        if (at == out.end()) at = out.insert(out.end(), {one.point, {}});
        at->plugins.push_back({one.plugin, {}});
    }
    return out;
}

ObjectBuilder place_value(model::Arena &arena, const PluginList::Place &place, const PluginCalls *calls) {
    ObjectBuilder out(arena);
    out.add("plugin", std::string_view{place.plugin});
    if (place.weight) out.add("weight", *place.weight);
    static const PluginCalls never{};
    const auto &c = calls ? *calls : never;
    out.add("calls", c.calls).add("nodes", c.nodes).add("rejections", c.rejections).add("seconds", c.seconds);
    if (c.calls == 0) return out;
    ArrayBuilder latency(arena);
    for (auto n : c.latency) latency.add(n);
    return out.add("latency", latency);
}

ObjectBuilder profile_value(model::Arena &arena, const PluginList &list, const PluginList::Profile &profile) {
    ObjectBuilder out(arena);
    ArrayBuilder points(arena);
    for (const auto &point : points_of(list, profile)) {
        ArrayBuilder plugins(arena);
        for (const auto &place : point.plugins) {
            const auto at = std::ranges::find_if(list.calls, [&](const PluginCalls &c) {
                return c.profile == profile.name && c.plugin == place.plugin && c.point == point.name;
            });
            plugins.add(place_value(arena, place, at == list.calls.end() ? nullptr : &*at).value());
        }
        ObjectBuilder one(arena);
        points.add(one.add("extensionPoint", std::string_view{point.name}).add("plugins", plugins).value());
    }
    return out.add("name", std::string_view{profile.name}).add("points", points);
}

}  // namespace

std::string json(const PluginList &list) {
    model::Arena arena;
    auto out = answer_head(arena, "PluginList", list.by, nullptr);
    ArrayBuilder bounds(arena), profiles(arena), plugins(arena);
    for (std::size_t i = 0; i + 1 < PluginCalls::buckets; ++i) bounds.add(PluginCalls::bound(i));
    for (const auto &profile : list.profiles) profiles.add(profile_value(arena, list, profile).value());
    for (const auto &p : list.plugins) {
        ObjectBuilder one(arena);
        one.add("name", std::string_view{p.name});
        add_text(one, "file", p.file);
        add_text(one, "version", p.version);
        add_text(one, "sha256", p.sha256);
        one.add("failures", p.failures);
        add_text(one, "quarantine", p.quarantine);
        plugins.add(one.value());
    }
    return text_of(out.add("latencyBounds", bounds).add("profiles", profiles).add("plugins", plugins));
}

}  // namespace berth::report

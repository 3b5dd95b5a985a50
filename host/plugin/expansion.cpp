// SPDX-License-Identifier: Apache-2.0
#include "plugin/expansion.h"

#include "config/defaults.h"
#include "decode/did_you_mean.h"
#include "plugin/fault.h"
#include "plugin/loaded.h"

#include <berth/point/score.h>

#include <algorithm>
#include <limits>

namespace berth::plugin {
namespace {

using config::PluginEntry;
using model::ExtensionPoint;

/// In upstream's order (getExtensionPoints), which decides which of several errors is met first.
constexpr std::array points{ExtensionPoint::PreFilter,         ExtensionPoint::Filter,
                            ExtensionPoint::PostFilter,        ExtensionPoint::Reserve,
                            ExtensionPoint::PreScore,          ExtensionPoint::Score,
                            ExtensionPoint::PreBind,           ExtensionPoint::Bind,
                            ExtensionPoint::PostBind,          ExtensionPoint::Permit,
                            ExtensionPoint::PreEnqueue,        ExtensionPoint::QueueSort,
                            ExtensionPoint::PlacementGenerate, ExtensionPoint::PlacementScore,
                            ExtensionPoint::PodGroupPostFilter};

std::string type_name(ExtensionPoint point) { return std::string(model::names(point).interface_name); }

model::Error at(const config::Place &place, const std::string &text) { return {place.text() + ": " + text}; }

bool contains(const std::vector<std::string> &names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

class Expander {
    const config::Profile &profile_;
    const Implements &implements_;
    std::string searched_;
    const std::vector<std::string> &known_;

    model::Error missing(const PluginEntry &entry, ExtensionPoint point) const {
        const auto *meant = decode::closest_name(entry.name, known_);
        return at(entry.place, type_name(point) + " " + in_quotes(entry.name) + " does not exist" +
                                   (searched_.empty() ? "" : ": " + searched_) +
                                   (meant ? "; did you mean " + in_quotes(*meant) + "?" : ""));
    }

    static model::Error repeated(const PluginEntry &entry, ExtensionPoint point) {
        return at(entry.place,
                  "plugin " + in_quotes(entry.name) + " already registered as " + in_quotes(type_name(point)));
    }

public:
    Expander(const config::Profile &profile, const Implements &implements, std::string_view searched,
             const std::vector<std::string> &known)
        : profile_(profile), implements_(implements), searched_(searched), known_(known) {}

    /// The point's own list, checked.
    model::Result<std::vector<std::string>> specific(ExtensionPoint point) const {
        std::vector<std::string> out;
        for (const auto &entry : profile_.at(point).enabled) {
            auto implemented = implements_(entry.name, point);
            if (!implemented) return missing(entry, point);
            if (!*implemented)
                return at(entry.place,
                          "plugin " + in_quotes(entry.name) + " does not extend " + type_name(point) + " plugin");
            if (contains(out, entry.name)) return repeated(entry, point);
            out.push_back(entry.name);
        }
        return out;
    }

    /// The point's own list with MultiPoint's plugins: those in both, in the order of the own list; those of MultiPoint
    /// alone; the rest of the own list.
    model::Result<std::vector<std::string>> with_multi_point(ExtensionPoint point, std::vector<std::string> own) const {
        const auto &set = profile_.at(point);
        if (set.disables("*")) return own;
        std::vector<std::string> multi, overridden;
        for (const auto &entry : profile_.at(ExtensionPoint::MultiPoint).enabled) {
            auto implemented = implements_(entry.name, point);
            if (!implemented) return missing(entry, point);
            if (!*implemented || set.disables(entry.name)) continue;
            if (contains(own, entry.name)) {
                overridden.push_back(entry.name);
                continue;
            }
            if (contains(multi, entry.name)) return repeated(entry, point);
            multi.push_back(entry.name);
        }
        std::vector<std::string> out;
        for (const auto &name : own)
            if (contains(overridden, name)) out.push_back(name);
        out.insert(out.end(), multi.begin(), multi.end());
        for (const auto &name : own)
            if (!contains(overridden, name)) out.push_back(name);
        return out;
    }

    model::Result<std::map<std::string, std::int64_t, std::less<>>> weights() const {
        std::map<std::string, std::int64_t, std::less<>> out;
        std::int64_t total = 0;
        for (auto point : {ExtensionPoint::Score, ExtensionPoint::MultiPoint})
            for (const auto &entry : profile_.at(point).enabled) {
                if (!implements_(entry.name, ExtensionPoint::Score).value_or(false)) continue;
                if (entry.weight < 0)
                    return at(entry.place, "score plugins: the weight of plugin " + in_quotes(entry.name) + " is " +
                                               std::to_string(entry.weight) + ", expected a number from 0");
                std::int64_t weight = entry.weight ? entry.weight : 1;
                if (!out.try_emplace(entry.name, weight).second) continue;
                if (weight * BERTH_SCORE_MAX > std::numeric_limits<std::int64_t>::max() - total)
                    return at(entry.place, "score plugins: total score of Score plugins could overflow");
                total += weight * BERTH_SCORE_MAX;
            }
        return out;
    }
};

}  // namespace

std::vector<const PluginEntry *> needed_plugins(const config::Profile &profile) {
    std::vector<const PluginEntry *> out;
    auto add = [&](ExtensionPoint point) {
        for (const auto &entry : profile.at(point).enabled)
            if (std::ranges::none_of(out, [&](const auto *other) { return other->name == entry.name; }))
                out.push_back(&entry);
    };
    add(ExtensionPoint::MultiPoint);
    for (auto point : points) add(point);
    return out;
}

config::Release release_for(const config::Configuration &configuration, std::string_view plugin) {
    const auto instead = configuration.instead.find(plugin);
    if (instead == configuration.instead.end()) return configuration.release;
    return instead->second.release.value_or(configuration.release);
}

bool can_be_enabled(const LoadedPlugin &plugin, ExtensionPoint point, config::Release release) {
    const auto interface = interface_of_point(point);
    return interface && plugin.tables.has(*interface) &&
           config::defaults_v1(release).calls(text_of(plugin.plugin->name), point, [&](std::string_view other) {
               return loaded_with(plugin.plugin, other);
           });
}

std::vector<std::string> misspelt_disabled(const config::Profile &profile, const std::vector<std::string> &known) {
    auto all = known;
    for (const auto *entry : needed_plugins(profile)) all.push_back(entry->name);
    std::vector<std::string> out;
    auto look = [&](ExtensionPoint point) {
        for (const auto &entry : profile.at(point).disabled) {
            if (entry.name == "*" || contains(all, entry.name)) continue;
            if (const auto *meant = decode::closest_name(entry.name, all))
                out.push_back(at(entry.place, "there is no plugin " + in_quotes(entry.name) +
                                                  " to disable; did you mean " + in_quotes(*meant) + "?")
                                  .text);
        }
    };
    look(ExtensionPoint::MultiPoint);
    for (auto point : points) look(point);
    return out;
}

model::Result<Expansion> expand(const config::Profile &profile, const Implements &implements, std::string_view searched,
                                const std::vector<std::string> &known) {
    Expander expander(profile, implements, searched, known);
    Expansion out;
    for (auto point : points) {
        auto own = expander.specific(point);
        if (!own) return own.error();
        out.plugins[model::index(point)] = *std::move(own);
    }
    for (auto point : points) {
        auto all = expander.with_multi_point(point, out.at(point));
        if (!all) return all.error();
        out.plugins[model::index(point)] = *std::move(all);
    }
    if (auto n = out.at(ExtensionPoint::QueueSort).size(); n != 1)
        return at(profile.place, "only one queue sort plugin required for profile with scheduler name " +
                                     in_quotes(profile.scheduler_name) + ", but got " + std::to_string(n));
    if (out.at(ExtensionPoint::Bind).empty())
        return at(profile.place, "at least one bind plugin is needed for profile with scheduler name " +
                                     in_quotes(profile.scheduler_name));
    auto weights = expander.weights();
    if (!weights) return weights.error();
    out.weights = *std::move(weights);
    return out;
}

}  // namespace berth::plugin

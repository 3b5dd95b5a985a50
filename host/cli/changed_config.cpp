// SPDX-License-Identifier: Apache-2.0
#include "cli/changed_config.h"

#include "config/defaults.h"
#include "config/dump.h"
#include "decode/write.h"
#include "model/extension_point.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace berth::cli {
namespace {

using config::PluginEntry;
using model::Value;

class Changer {
    config::Configuration configuration_;
    std::vector<kube::Cause> causes_;

    void wrong(const std::string &field, const std::string &what) {
        causes_.push_back({"FieldValueInvalid", what, field});
    }

    static std::vector<PluginEntry *> mentions(config::Profile &profile, std::string_view plugin) {
        std::vector<PluginEntry *> out;
        for (auto &set : profile.plugins)
            for (auto &entry : set.enabled)
                if (entry.name == plugin) out.push_back(&entry);
        return out;
    }

    void weigh(config::Profile &profile, std::string_view plugin, Value weight, const std::string &field) {
        const auto n = weight.integer();
        if (!n || *n < 1 || *n > INT32_MAX) return wrong(field, "expected a whole number from 1 to 2147483647");
        const auto entries = mentions(profile, plugin);
        if (entries.empty())
            return wrong(field, "profile \"" + profile.scheduler_name + "\" has no plugin of this name enabled");
        for (auto *entry : entries) entry->weight = static_cast<std::int32_t>(*n);
    }

    void enable(config::Profile &profile, Value plugin, const std::string &field) {
        if (plugin.string().empty()) return wrong(field, "expected the name of a plugin");
        if (!mentions(profile, plugin.string()).empty())
            return wrong(field, "\"" + std::string(plugin.string()) + "\" is enabled already");
        for (auto &set : profile.plugins)
            std::erase_if(set.disabled, [&](const auto &entry) { return entry.name == plugin.string(); });
        profile.at(model::ExtensionPoint::MultiPoint).enabled.push_back({std::string(plugin.string()), 0, {}});
    }

    void disable(config::Profile &profile, Value plugin, const std::string &field) {
        if (mentions(profile, plugin.string()).empty())
            return wrong(field, "profile \"" + profile.scheduler_name + "\" has no plugin \"" +
                                    std::string(plugin.string()) + "\" enabled");
        for (auto &set : profile.plugins)
            std::erase_if(set.enabled, [&](const auto &entry) { return entry.name == plugin.string(); });
    }

    /// A member that nobody knows is a misspelt one.
    void only(Value object, std::initializer_list<std::string_view> known, const std::string &field) {
        std::string all;
        for (auto name : known) (all += all.empty() ? "" : ", ") += name;
        for (std::size_t i = 0; i < object.size(); ++i)
            if (std::ranges::find(known, object.key(i)) == known.end())
                wrong(field + std::string(object.key(i)), "expected one of " + all);
    }

    void change(Value changes, const std::string &field) {
        if (!changes.is_object())
            return wrong(field,
                         "expected an object with the profile's name and what changes: weights, enable, disable");
        only(changes, {"name", "weights", "enable", "disable"}, field + ".");
        for (const char *list : {"enable", "disable"})
            if (changes[list] && !changes[list].is_array())
                return wrong(field + "." + list, "expected a list of names of plugins");
        if (changes["weights"] && !changes["weights"].is_object())
            return wrong(field + ".weights", "expected an object, such as {\"NodeAffinity\": 3}");
        const auto name = changes["name"].string();
        const auto at = std::ranges::find(configuration_.profiles, name, &config::Profile::scheduler_name);
        if (at == configuration_.profiles.end())
            return wrong(field + ".name", "the configuration has no profile \"" + std::string(name) + "\"");
        auto each = [&](const char *key, auto what) {
            for (std::size_t i = 0; i < changes[key].size(); ++i)
                (this->*what)(*at, changes[key].at(i), field + "." + key + "[" + std::to_string(i) + "]");
        };
        each("disable", &Changer::disable);
        each("enable", &Changer::enable);
        const auto weights = changes["weights"];
        for (std::size_t i = 0; i < weights.size(); ++i)
            weigh(*at, weights.key(i), weights.member(i), field + ".weights." + std::string(weights.key(i)));
    }

public:
    explicit Changer(const config::Configuration &configuration) : configuration_(configuration) {
        // What is left of the defaults is written down; a file's own defaults would bring the rest back.
        for (auto &profile : configuration_.profiles) {
            auto &all = profile.at(model::ExtensionPoint::MultiPoint);
            if (!all.disables("*")) all.disabled.push_back({"*", 0, {}});
        }
    }

    std::variant<std::string, std::vector<kube::Cause>> changed(Value changes) {
        const auto profiles = changes["profiles"];
        const bool others = !changes || changes["addNodes"];
        only(changes, {"profiles", "addNodes", "pods"}, "");
        if (profiles ? !profiles.is_array() || profiles.size() == 0 : !others)
            wrong("profiles", "expected a list of profiles to change");
        for (std::size_t i = 0; i < profiles.size(); ++i) change(profiles.at(i), "profiles[" + std::to_string(i) + "]");
        if (!causes_.empty()) return std::move(causes_);
        const auto args = [&](std::size_t profile, std::string_view plugin) -> model::TreePtr {
            const auto *own = configuration_.profiles[profile].config_of(plugin);
            return own ? own->args : nullptr;
        };
        return decode::to_yaml(config::dump(configuration_, config::defaults_v1(), args).tree()->value());
    }
};

}  // namespace

std::variant<std::string, std::vector<kube::Cause>> changed_config(const config::Configuration &configuration,
                                                                   Value changes) {
    return Changer(configuration).changed(changes);
}

}  // namespace berth::cli

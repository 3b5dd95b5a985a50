// SPDX-License-Identifier: Apache-2.0
#include "api/changed_config.h"

#include "config/defaults.h"
#include "config/dump.h"
#include "decode/write.h"
#include "model/extension_point.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>

namespace berth::api {
namespace {

using config::PluginEntry;
using model::Value;

class Changer {
    config::Configuration configuration_;
    std::vector<kube::Cause> causes_;

    void wrong(const std::string &field, const std::string &what) {
        causes_.push_back({"FieldValueInvalid", what, field});
    }

    /// What becomes of one profile: gathered first and then done at once, however much it is.
    struct Changes {
        std::set<std::string_view> enabled;  ///< as changed so far
        std::set<std::string_view> off, on;
        std::vector<std::string_view> order;  ///< of those that are on
        std::map<std::string_view, std::int32_t> weights;
    };

    static void apply(const Changes &changes, config::Profile &profile) {
        for (auto &set : profile.plugins) {
            std::erase_if(set.enabled, [&](const auto &entry) { return changes.off.contains(entry.name); });
            std::erase_if(set.disabled, [&](const auto &entry) { return changes.on.contains(entry.name); });
        }
        for (auto name : changes.order)
            profile.at(model::ExtensionPoint::MultiPoint).enabled.push_back({std::string(name), 0, {}});
        for (auto &set : profile.plugins)
            for (auto &entry : set.enabled)
                if (auto at = changes.weights.find(entry.name); at != changes.weights.end()) entry.weight = at->second;
    }

    void weigh(Changes &changes, const std::string &profile, std::string_view plugin, Value weight,
               const std::string &field) {
        const auto n = weight.integer();
        if (!n || *n < 1 || *n > INT32_MAX) return wrong(field, "expected a whole number from 1 to 2147483647");
        if (!changes.enabled.contains(plugin))
            return wrong(field, "profile \"" + profile + "\" has no plugin of this name enabled");
        changes.weights[plugin] = static_cast<std::int32_t>(*n);
    }

    void enable(Changes &changes, const std::string &, Value plugin, const std::string &field) {
        if (plugin.string().empty()) return wrong(field, "expected the name of a plugin");
        if (!changes.enabled.insert(plugin.string()).second)
            return wrong(field, "\"" + std::string(plugin.string()) + "\" is enabled already");
        changes.on.insert(plugin.string());
        changes.order.push_back(plugin.string());
    }

    void disable(Changes &changes, const std::string &profile, Value plugin, const std::string &field) {
        if (changes.enabled.erase(plugin.string()) == 0)
            return wrong(field,
                         "profile \"" + profile + "\" has no plugin \"" + std::string(plugin.string()) + "\" enabled");
        changes.off.insert(plugin.string());
    }

    /// An unknown member is a misspelt one.
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
        Changes all;
        for (const auto &set : at->plugins)
            for (const auto &entry : set.enabled) all.enabled.insert(entry.name);
        auto each = [&](const char *key, auto what) {
            for (std::size_t i = 0; i < changes[key].size(); ++i)
                (this->*what)(all, at->scheduler_name, changes[key].at(i),
                              field + "." + key + "[" + std::to_string(i) + "]");
        };
        each("disable", &Changer::disable);
        each("enable", &Changer::enable);
        const auto weights = changes["weights"];
        for (std::size_t i = 0; i < weights.size(); ++i)
            weigh(all, at->scheduler_name, weights.key(i), weights.member(i),
                  field + ".weights." + std::string(weights.key(i)));
        apply(all, *at);
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
        const bool others = !changes || changes["addNodes"] || changes["removeNodes"];
        only(changes, {"profiles", "addNodes", "removeNodes", "pods"}, "");
        if (profiles ? !profiles.is_array() || profiles.size() == 0 : !others)
            wrong("profiles", "expected a list of profiles to change");
        for (std::size_t i = 0; i < profiles.size(); ++i) change(profiles.at(i), "profiles[" + std::to_string(i) + "]");
        if (!causes_.empty()) return std::move(causes_);
        const auto args = [&](std::size_t profile, std::string_view plugin) -> model::TreePtr {
            const auto *own = configuration_.profiles[profile].config_of(plugin);
            return own ? own->args : nullptr;
        };
        return decode::to_yaml(
            config::dump(configuration_, config::defaults_v1(configuration_.release), args).tree()->value());
    }
};

}  // namespace

std::variant<std::string, std::vector<kube::Cause>> changed_config(const config::Configuration &configuration,
                                                                   Value changes) {
    return Changer(configuration).changed(changes);
}

}  // namespace berth::api

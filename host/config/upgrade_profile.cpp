// SPDX-License-Identifier: Apache-2.0
#include "config/upgrade_profile.h"

#include "config/legacy_defaults.h"
#include "config/old_version.h"

#include <algorithm>
#include <map>

namespace berth::config {
namespace {

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

bool enabled(const PluginSet &set, std::string_view name) {
    return std::ranges::find(set.enabled, name, &PluginEntry::name) != set.enabled.end();
}

std::string name_of(const MutableTree &entry) {
    const auto *name = entry.find("name");
    return name ? name->text() : "";
}

}  // namespace

decode::Position ProfileUpgrade::position(const Place &place) const {
    if (place.file != file_) return {};
    return {static_cast<int>(place.line), static_cast<int>(place.column)};
}

std::string ProfileUpgrade::text(const Place &place) const {
    auto shown = place;
    shown.path = path_in_file(place.path, version_);
    return shown.text();
}

MutableTree *ProfileUpgrade::config_of(std::string_view plugin) {
    for (auto &config : configs_.items())
        if (name_of(config) == plugin) return &config;
    return nullptr;
}

MutableTree &ProfileUpgrade::args_of(std::string_view plugin, decode::Position position) {
    auto *config = config_of(plugin);
    if (!config) {
        auto made = MutableTree::object(position);
        made.put("name", MutableTree::text(plugin, position));
        configs_.add(std::move(made));
        config = &configs_.items().back();
    }
    return config->inside("args");
}

void ProfileUpgrade::refuse(const PluginEntry &entry, std::string text) {
    errors_.push_back({file_, position(entry.place), path_in_file(entry.place.path, version_), std::move(text)});
}

/// The profile's own arguments, without the type that their version gave them.
void ProfileUpgrade::read_configs(MutableTree &profile) {
    configs_ = MutableTree::list(profile.position());
    if (auto list = profile.take("pluginConfig")) configs_ = *std::move(list);
    for (auto &config : configs_.items()) {
        const auto *typed = version_.args_of(name_of(config));
        auto *args = config.find("args");
        if (!typed || !args || !args->is_object()) continue;
        args->take("apiVersion");
        args->take("kind");
        fill_by_condition(*args, *typed);
    }
}

void ProfileUpgrade::move_fields() {
    for (const auto &[field, plugin, argument] : version_.became_args) {
        const auto *value = old_fields_.find(field);
        if (!value) continue;
        auto &args = args_of(plugin, value->position());
        if (!args.find(argument)) args.put(argument, *value);
    }
}

void ProfileUpgrade::restore_built_in() {
    for (const auto &[point, plugin] : version_.built_in) {
        bool off = std::ranges::any_of(version_.became_disabled, [&](const MovedField &moved) {
            const auto *value = old_fields_.find(moved.field);
            return moved.plugin == plugin && value && value->is_true();
        });
        if (!off && !enabled(at(point), plugin)) at(point).enabled.push_back({plugin, 0, {}});
    }
}

void ProfileUpgrade::fold_args(const Folded &rule, const PluginEntry &entry) {
    auto place = position(entry.place);
    MutableTree moved = MutableTree::object(place);
    if (auto *config = config_of(rule.name))
        if (auto *own = config->find("args")) moved = *own;
    auto &args = args_of(rule.into, moved.position());
    for (std::size_t i = 0; i < rule.args.size(); ++i)
        args.put(rule.args.key(i), MutableTree::of(rule.args.member(i), moved.position()));
    for (auto &member : moved.members()) {
        auto to = std::ranges::find(rule.moved, member.name, &std::pair<std::string, std::string>::first);
        if (to != rule.moved.end()) args.put_at(to->second, std::move(member.value));
        else
            errors_.push_back({file_, member.position, "args." + member.name,
                               "unknown field; " + rule.name + " became a strategy of " + rule.into +
                                   ", which has no such "
                                   "argument"});
    }
}

void ProfileUpgrade::fold() {
    std::map<ExtensionPoint, std::string> done;
    for (const auto &rule : rules_.folded) {
        auto &list = at(rule.point).enabled;
        auto entry = std::ranges::find(list, rule.name, &PluginEntry::name);
        if (entry != list.end()) {
            if (enabled(at(rule.point), rule.into)) {
                refuse(*entry,
                       in_quotes(rule.name) + " is today a strategy of " +
                           in_quotes(done.contains(rule.point) ? done[rule.point] : rule.into) +
                           ", which this profile enables there, too: a profile has one of them; disable the others");
            } else {
                fold_args(rule, *entry);
                entry->name = rule.into;
                done[rule.point] = rule.into;
            }
        }
        std::erase_if(configs_.items(), [&](const MutableTree &config) { return name_of(config) == rule.name; });
    }
}

void ProfileUpgrade::require_label(MutableTree &term, const std::string &label, const std::string &op,
                                   decode::Position position) {
    auto requirement = MutableTree::object(position);
    requirement.put("key", MutableTree::text(label, position));
    requirement.put("operator", MutableTree::text(op, position));
    auto *all = term.find("matchExpressions");
    if (!all || !all->is_list()) all = &term.put("matchExpressions", MutableTree::list(position));
    all->add(std::move(requirement));
}

void ProfileUpgrade::translate_labels(const LabelLists &rule, decode::Position position) {
    auto *config = config_of(rule.name);
    auto *own = config ? config->find("args") : nullptr;
    if (!own) return;
    std::vector<std::pair<MutableTree, std::string>> wanted;
    for (const auto &[list, op] : rule.operators)
        if (auto *labels = own->find(list))
            for (auto &label : labels->items()) wanted.emplace_back(label, op);
    if (wanted.empty()) return;
    auto &required =
        args_of(rule.into, position).inside("addedAffinity").inside("requiredDuringSchedulingIgnoredDuringExecution");
    auto *terms = required.find("nodeSelectorTerms");
    if (!terms || !terms->is_list()) terms = &required.put("nodeSelectorTerms", MutableTree::list(position));
    if (terms->items().empty()) terms->add(MutableTree::object(position));
    // One of the terms has to hold, so each of them asks for the labels.
    for (auto &term : terms->items())
        for (const auto &[label, op] : wanted) require_label(term, label.text(), op, label.position());
}

void ProfileUpgrade::translate_labels() {
    for (const auto &rule : rules_.labels) {
        auto &list = at(rule.point).enabled;
        auto entry = std::ranges::find(list, rule.name, &PluginEntry::name);
        if (entry != list.end()) {
            translate_labels(rule, position(entry->place));
            if (enabled(at(rule.point), rule.into)) list.erase(entry);
            else entry->name = rule.into;
        }
        auto *config = config_of(rule.name);
        auto *args = config ? config->find("args") : nullptr;
        for (const auto &name : rule.lost)
            if (const auto *lost = args ? args->find(name) : nullptr; lost && !lost->items().empty())
                warnings_.push_back(decode::where(file_, lost->position()) + ": " + in_quotes(name) + " of " +
                                    in_quotes(rule.name) + " is dropped: " + rule.message);
        for (auto &set : sets_) std::erase_if(set.enabled, [&](const auto &other) { return other.name == rule.name; });
        std::erase_if(configs_.items(), [&](const MutableTree &other) { return name_of(other) == rule.name; });
    }
}

/// Leaves plugins out that are gone, each named: those of the file with their place, those of the default profile
/// together.
void ProfileUpgrade::drop_gone() {
    std::map<std::string, std::string> defaults;  // what is said, and of whom
    for (auto &set : sets_)
        std::erase_if(set.enabled, [&](const PluginEntry &entry) {
            const auto why = rules_.gone_because(entry.name, release_);
            if (!why) return false;
            if (entry.place.file == file_)
                warnings_.push_back(text(entry.place) + ": " + in_quotes(entry.name) + " is dropped: " + *why);
            else if (auto &names = defaults[*why]; names.find(in_quotes(entry.name)) == names.npos)
                names += (names.empty() ? "" : ", ") + in_quotes(entry.name);
            return true;
        });
    for (const auto &[why, names] : defaults)
        warnings_.push_back(text(era_.place) + ": of the default plugins of " + version_.version + ", " + names +
                            (names.find(',') == names.npos ? " is" : " are") + " dropped: " + why);
    drop_gone_configs();
}

void ProfileUpgrade::drop_gone_configs() {
    std::erase_if(configs_.items(), [&](const MutableTree &config) {
        const auto why = rules_.gone_because(name_of(config), release_);
        if (why)
            warnings_.push_back(decode::where(file_, config.position()) + ": the arguments of " +
                                in_quotes(name_of(config)) + " are dropped: " + *why);
        return why.has_value();
    });
}

/// The same for sets that stay as the file has them.
void ProfileUpgrade::drop_gone_entries(MutableTree &plugins) {
    for (auto &[key, set, place] : plugins.members())
        for (const auto *list : {"enabled", "disabled"})
            if (auto *entries = set.find(list))
                std::erase_if(entries->items(),
                              [&](const MutableTree &entry) { return rules_.is_gone(name_of(entry)); });
}

void ProfileUpgrade::add_hooks() {
    for (const auto *hooks : {&version_.hooks, &rules_.hooks})
        for (const auto &hook : *hooks)
            for (const auto &entry : at(hook.of).enabled)
                if (std::ranges::find(hook.plugins, entry.name) != hook.plugins.end() &&
                    !enabled(at(hook.point), entry.name))
                    at(hook.point).enabled.push_back({entry.name, 0, entry.place});
    for (const auto &[point, plugin] : rules_.added)
        if (!enabled(at(point), plugin)) at(point).enabled.insert(at(point).enabled.begin(), {plugin, 0, {}});
}

MutableTree ProfileUpgrade::written_out() const {
    auto here = position(era_.place);
    auto out = MutableTree::object(here);
    auto all = MutableTree::object(here);
    all.put("name", MutableTree::text("*", here));
    auto none = MutableTree::list(here);
    none.add(std::move(all));
    auto multi_point = MutableTree::object(here);
    multi_point.put("disabled", std::move(none));
    out.put(model::names(ExtensionPoint::MultiPoint).key, std::move(multi_point));
    for (const auto &names : model::extension_points) {
        const auto &set = sets_[model::index(names.point)];
        if (names.point == ExtensionPoint::MultiPoint || set.enabled.empty()) continue;
        auto list = MutableTree::list(here);
        for (const auto &entry : set.enabled) {
            auto plugin = MutableTree::object(position(entry.place));
            plugin.put("name", MutableTree::text(entry.name, plugin.position()));
            if (entry.weight) plugin.put("weight", MutableTree::integer(entry.weight, plugin.position()));
            list.add(std::move(plugin));
        }
        auto enabled_set = MutableTree::object(here);
        enabled_set.put("enabled", std::move(list));
        out.put(names.key, std::move(enabled_set));
    }
    return out;
}

MutableTree ProfileUpgrade::upgrade(MutableTree profile) {
    auto plugins = profile.take("plugins");
    read_configs(profile);
    move_fields();
    if (version_.written_out) {
        restore_built_in();
        fold();
        translate_labels();
        drop_gone();
        add_hooks();
        profile.put("plugins", written_out());
    } else {
        drop_gone();
        if (plugins && plugins->is_object()) {
            drop_gone_entries(*plugins);
            profile.put("plugins", *std::move(plugins));
        }
    }
    if (!configs_.items().empty()) profile.put("pluginConfig", std::move(configs_));
    return profile;
}

}  // namespace berth::config

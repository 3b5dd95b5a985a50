// SPDX-License-Identifier: Apache-2.0
#include "config/old_version.h"

#include <algorithm>
#include <array>

namespace berth::config {
namespace {

constexpr std::array profile_fields{"schedulerName", "plugins", "pluginConfig"};

bool contains(const std::vector<std::string> &names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (auto &c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

class Shaper {
    const decode::Document &document_;
    const VersionDefaults &version_;
    decode::FieldErrors &errors_;
    Shaped out_;

    std::string at(decode::Position position, const std::string &path) const {
        return decode::where(document_.file, position) + ": " + path;
    }
    void warn(decode::Position position, const std::string &path, const std::string &text) {
        out_.warnings.push_back(at(position, path) + ": " + text);
    }

    /// Records unknown members; in a lenient version they are only warned about.
    void finish(decode::Fields &fields) {
        auto before = errors_.size();
        fields.finish();
        if (!version_.lenient) return;
        for (auto i = before; i < errors_.size(); ++i)
            warn(errors_[i].position, errors_[i].path, "no effect: " + errors_[i].text);
        errors_.resize(before);
    }

    void check_profile(decode::Fields &profile) {
        auto plugins = profile.object("plugins");
        if (!plugins) return;
        for (const auto &point : version_.points) plugins->any(point);
        for (const auto &point : version_.ignored_points) plugins->any(point);
        finish(*plugins);
    }

    void check_source(decode::Fields source) {
        if (source.has("policy"))
            source.error(
                "policy",
                "a policy of predicates and priorities has no equivalent in v1; write what it says as plugins of a "
                "profile and remove it");
        auto provider = source.string("provider").value_or("");
        auto known = std::ranges::find(version_.providers, provider, &Provider::name);
        if (known != version_.providers.end()) {
            if (!known->replaced.empty()) out_.provider = &*known;
        } else if (!provider.empty()) {
            std::string names;
            for (const auto &other : version_.providers) names += (names.empty() ? "" : " or ") + other.name;
            source.error("provider", "unknown algorithm provider \"" + provider + "\", expected " + names);
        }
        finish(source);
    }

    /// Fields that v1 has are checked when the result is read.
    void check() {
        decode::Fields root(document_, errors_);
        for (const auto *name : {"apiVersion", "kind"}) root.any(name);
        for (const auto &name : version_.fields) root.any(name);
        for (const auto &moved : version_.became_args) root.int64(moved.field);
        for (const auto &moved : version_.became_disabled) root.boolean(moved.field);
        for (const auto &name : version_.dropped_fields) root.string(name);
        if (contains(version_.fields, "algorithmSource"))
            if (auto source = root.object("algorithmSource")) check_source(std::move(*source));
        if (version_.one_profile) check_profile(root);
        else
            for (auto &profile : root.objects("profiles")) {
                for (const auto *name : profile_fields) profile.any(name);
                check_profile(profile);
                finish(profile);
            }
        finish(root);
    }

    static void keep_only(MutableTree &object, auto known) {
        std::erase_if(object.members(), [&](const MutableTree::Member &member) { return !known(member.name); });
    }

    static void add_list(MutableTree &into, MutableTree &from, std::string_view name, bool once) {
        auto *more = from.find(name);
        if (!more || !more->is_list()) return;
        auto *list = into.find(name);
        if (!list || !list->is_list()) list = &into.put(name, MutableTree::list(more->position()));
        auto name_of = [](const MutableTree &entry) {
            const auto *plugin = entry.find("name");
            return plugin ? plugin->text() : std::string();
        };
        for (auto &entry : more->items())
            if (!once || std::ranges::none_of(
                             list->items(), [&](const MutableTree &other) { return name_of(other) == name_of(entry); }))
                list->add(std::move(entry));
    }

    /// The sets under the names that v1 has for them. Two sets that became one are joined.
    void shape_sets(MutableTree &plugins, const std::string &path) {
        keep_only(plugins, [&](const std::string &name) {
            return contains(version_.points, name) || contains(version_.ignored_points, name);
        });
        for (const auto &name : version_.ignored_points)
            if (auto set = plugins.take(name); set && !set->members().empty())
                warn(set->position(), path + ".plugins." + name,
                     "no effect: the defaults of " + version_.version + " take its place; name the plugins elsewhere");
        auto sets = std::move(plugins.members());
        plugins.members().clear();
        for (auto &[name, set, position] : sets) {
            auto point = version_.point_of_key(name);
            std::string key = point ? std::string(model::names(*point).key) : name;
            auto *other = plugins.find(key);
            if (!other || !other->is_object() || !set.is_object()) {
                if (!other) plugins.members().push_back({key, std::move(set), position});
                continue;
            }
            add_list(*other, set, "enabled", true);
            add_list(*other, set, "disabled", false);
        }
    }

    void shape_profiles() {
        auto &root = out_.root;
        if (version_.one_profile) {
            auto profile = MutableTree::object(root.position());
            for (const auto *name : profile_fields)
                if (auto member = root.take(name)) profile.put(name, *std::move(member));
            auto profiles = MutableTree::list(root.position());
            profiles.add(std::move(profile));
            root.put("profiles", std::move(profiles));
        }
        auto *profiles = root.find("profiles");
        if (!profiles) return;
        std::size_t i = 0;
        for (auto &profile : profiles->items()) {
            auto path = version_.one_profile ? "" : "profiles[" + std::to_string(i) + ']';
            ++i;
            keep_only(profile, [](const std::string &name) {
                return std::ranges::find(profile_fields, name) != profile_fields.end();
            });
            if (auto *plugins = profile.find("plugins")) shape_sets(*plugins, path);
        }
    }

    void shape_election() {
        auto *election = out_.root.find("leaderElection");
        if (!election) return;
        for (const auto &[old_name, name] : version_.lock_names) {
            auto old_value = election->take(old_name);
            if (!old_value || old_value->is_null() || (old_value->is_text() && old_value->text().empty())) continue;
            const auto *value = election->find(name);
            auto upper = [](std::string text) {
                text[0] = static_cast<char>(text[0] - 'a' + 'A');
                return text;
            };
            if (value && value->is_text() && !value->text().empty() && value->text() != old_value->text())
                errors_.push_back({document_.file, old_value->position(), "leaderElection." + old_name,
                                   upper(name) + " and " + upper(old_name) + " are both set and do not match, " +
                                       upper(name) + ": " + value->text() + ", " + upper(old_name) + ": " +
                                       old_value->text()});
            else election->put(name, *std::move(old_value));
        }
    }

    void shape_extenders() {
        auto *extenders = out_.root.find("extenders");
        if (!extenders || !version_.policy_extenders) return;
        for (auto &extender : extenders->items()) {
            for (auto &member : extender.members())
                if (lower(member.name) == lower("enableHTTPS")) member.name = "enableHTTPS";
            auto *timeout = extender.find("httpTimeout");
            if (!timeout) continue;
            if (auto n = timeout->integer())
                extender.put("httpTimeout", MutableTree::text(std::to_string(*n) + "ns", timeout->position()));
        }
    }

public:
    Shaper(const decode::Document &document, const VersionDefaults &version, decode::FieldErrors &errors)
        : document_(document), version_(version), errors_(errors) {}

    Shaped shape() {
        check();
        auto &root = out_.root = MutableTree::of(document_);
        out_.old_fields = MutableTree::object(root.position());
        keep_only(root, [&](const std::string &name) { return contains(version_.fields, name); });
        for (std::size_t i = 0; i < version_.printed_fields.size(); ++i) {
            auto name = version_.printed_fields.key(i);
            auto field = root.take(name);
            if (!field || field->is_null()) continue;
            if (contains(version_.dropped_fields, name) && !field->text().empty())
                warn(field->position(), std::string(name), "no effect: v1 has no such field");
            out_.old_fields.put(name, *std::move(field));
        }
        shape_profiles();
        shape_election();
        shape_extenders();
        return std::move(out_);
    }
};

}  // namespace

Shaped in_shape_of_v1(const decode::Document &document, const VersionDefaults &version, decode::FieldErrors &errors) {
    return Shaper(document, version, errors).shape();
}

std::string path_in_file(std::string path, const VersionDefaults &version) {
    constexpr std::string_view first = "profiles[0].", sets = "plugins.";
    if (!version.one_profile || !path.starts_with(first)) return path;
    path.erase(0, first.size());
    if (!path.starts_with(sets)) return path;
    auto key = path.substr(sets.size(), path.find('.', sets.size()) - sets.size());
    if (auto point = model::extension_point_of_key(key))
        path.replace(sets.size(), key.size(), version.key_of_point(*point));
    return path;
}

}  // namespace berth::config

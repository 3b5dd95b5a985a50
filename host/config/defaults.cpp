// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

#include "config/defaults_file.h"
#include "config/plugin_set.h"

#include <algorithm>
#include <map>

namespace berth::config {
namespace {

class Parser {
    decode::FieldErrors errors_;
    DefaultsFile file_;
    decode::Fields root_;
    VersionDefaults out_;

    void section(const char *name, NamedPlugins &into) {
        auto fields = root_.object(name);
        if (!fields) return;
        into.plugins = fields->strings("plugins");
        into.message = fields->string("message").value_or("");
        if (&into == &out_.unsupported)
            for (const auto &key : fields->strings("points")) out_.unsupported_points.push_back(file_.point(key));
        fields->finish();
    }

    void read_plugins() {
        auto read = [&](decode::Fields &from, std::string_view key, ExtensionPoint point) {
            if (auto set = from.object(key)) out_.plugins[model::index(point)] = read_plugin_set(*set);
        };
        read(root_, model::names(ExtensionPoint::MultiPoint).key, ExtensionPoint::MultiPoint);
        if (auto plugins = root_.object("plugins")) {
            for (const auto &names : model::extension_points) read(*plugins, names.key, names.point);
            plugins->finish();
        }
    }

    void read_args() {
        for (auto &name : root_.strings("typedArgs"))
            out_.typed_args.push_back({std::move(name), {}, {}, {}, {}, false});
        for (auto &args : root_.objects("args")) {
            out_.typed_args.push_back({args.string("name").value_or(""), args.any("defaults"), args.any("inside"),
                                       args.any("when"), args.strings("weigh"),
                                       args.boolean("freeForm").value_or(false)});
            args.finish();
        }
    }

    std::vector<std::pair<std::string, std::string>> pairs(std::string_view name) {
        std::vector<std::pair<std::string, std::string>> out;
        for (auto &[from, to] : root_.string_map(name).value_or(std::map<std::string, std::string>{}))
            out.emplace_back(from, to);
        return out;
    }

    void read_moved(std::string_view name, std::vector<MovedField> &into) {
        for (auto &moved : root_.objects(name)) {
            into.push_back({moved.string("field").value_or(""), moved.string("plugin").value_or(""),
                            moved.string("argument").value_or("")});
            moved.finish();
        }
    }

    void read_differences() {
        out_.fields = root_.strings("fields");
        out_.dropped_fields = root_.strings("dropped");
        out_.printed_fields = root_.any("printed");
        out_.points = root_.strings("points");
        out_.ignored_points = root_.strings("ignoredPoints");
        out_.renamed_points = pairs("renamedPoints");
        out_.lock_names = pairs("lockNames");
        out_.lenient = root_.boolean("lenient").value_or(false);
        out_.one_profile = root_.boolean("oneProfile").value_or(false);
        out_.written_out = root_.boolean("writtenOut").value_or(false);
        out_.repeats = root_.boolean("repeats").value_or(false);
        out_.policy_extenders = root_.boolean("policyExtenders").value_or(false);
        out_.resource_lock = root_.string("resourceLock").value_or("");
        out_.built_in = file_.enabled_at(root_, "builtIn");
        out_.hooks = file_.hooks(root_);
        read_moved("becameArgs", out_.became_args);
        read_moved("becameDisabled", out_.became_disabled);
        for (auto &provider : root_.objects("providers")) {
            out_.providers.push_back({provider.string("provider").value_or(""),
                                      provider.string("replaced").value_or(""), provider.string("by").value_or("")});
            provider.finish();
        }
    }

public:
    Parser(const std::string &version, const std::string &stem) : file_(stem), root_(file_.document(), errors_) {
        out_.version = version;
        out_.source = file_.document();
    }

    VersionDefaults parse() {
        read_plugins();
        read_args();
        section("removed", out_.removed);
        section("unsupported", out_.unsupported);
        for (auto &fields : root_.objects("withoutPoints")) {
            out_.without_points.push_back({fields.strings("beside"), file_.point(fields.string("point").value_or("")),
                                           fields.strings("plugins")});
            fields.finish();
        }
        for (auto &fields : root_.objects("gated")) {
            out_.gated.push_back({fields.string("gate").value_or(""), fields.strings("plugins")});
            fields.finish();
        }
        read_differences();
        root_.finish();
        file_.check(errors_);
        return std::move(out_);
    }
};

}  // namespace

bool NamedPlugins::contain(std::string_view plugin) const {
    return std::ranges::find(plugins, plugin) != plugins.end();
}

const TypedArgs *VersionDefaults::args_of(std::string_view plugin) const {
    auto at = std::ranges::find(typed_args, plugin, &TypedArgs::plugin);
    return at == typed_args.end() ? nullptr : &*at;
}

bool VersionDefaults::has_type(std::string_view plugin) const {
    const auto *args = args_of(plugin);
    return args && !args->free_form;
}

bool VersionDefaults::calls(std::string_view plugin, ExtensionPoint point,
                            const std::function<bool(std::string_view other)> &beside) const {
    return std::ranges::none_of(without_points, [&](const WithoutPoint &without) {
        return without.point == point && std::ranges::find(without.plugins, plugin) != without.plugins.end() &&
               std::ranges::all_of(without.beside, beside);
    });
}

std::optional<ExtensionPoint> VersionDefaults::point_of_key(std::string_view key) const {
    auto renamed = std::ranges::find(renamed_points, key, &std::pair<std::string, std::string>::first);
    return model::extension_point_of_key(renamed == renamed_points.end() ? key : renamed->second);
}

std::string VersionDefaults::key_of_point(ExtensionPoint point) const {
    if (points.empty()) return std::string(model::names(point).key);
    auto at = std::ranges::find_if(points, [&](const auto &key) { return point_of_key(key) == point; });
    return at == points.end() ? "" : *at;
}

const VersionDefaults *defaults_of(std::string_view version, Release release) {
    if (version == versions().front()) return &defaults_v1(release);
    static const std::map<std::string, VersionDefaults, std::less<>> older = [] {
        std::map<std::string, VersionDefaults, std::less<>> out;
        for (const auto &name : versions())
            if (name != versions().front()) out.emplace(name, Parser(name, name).parse());
        return out;
    }();
    auto at = older.find(version);
    return at == older.end() ? nullptr : &at->second;
}

const VersionDefaults &defaults_v1(Release release) {
    static const std::map<Release, VersionDefaults> all = [] {
        const auto &v1 = versions().front();
        std::map<Release, VersionDefaults> out;
        for (const auto &one : Release::all()) out.emplace(one, Parser(v1, one.text() + '/' + v1).parse());
        return out;
    }();
    return all.at(release);
}

const std::vector<std::string> &versions() {
    static const std::vector<std::string> all{"v1", "v1beta3", "v1beta2", "v1beta1", "v1alpha2", "v1alpha1"};
    return all;
}

}  // namespace berth::config

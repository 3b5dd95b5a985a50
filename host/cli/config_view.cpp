// SPDX-License-Identifier: Apache-2.0
#include "cli/answers.h"
#include "cli/config.h"
#include "config/defaults.h"
#include "config/dump.h"
#include "decode/write.h"
#include "plugin/inspection.h"

#include <algorithm>
#include <fstream>

namespace berth::cli {
namespace {

using Inspections = std::vector<plugin::ProfileInspection>;

/// Args that plugins of Berth's own filled in; without a type of its version they are shown when there is something in
/// them, or when the file has them.
config::ArgsOf today(const config::Configuration &configuration, const Inspections &inspections) {
    return [&](std::size_t profile, std::string_view plugin) -> model::TreePtr {
        const auto *own = configuration.profiles[profile].config_of(plugin);
        const auto &args = inspections[profile].args;
        auto at = args.find(plugin);
        if (at == args.end()) return own ? own->args : nullptr;
        bool shown = own || config::defaults_v1().has_type(plugin) || at->second->value().size() > 0;
        return shown ? at->second : nullptr;
    };
}

/// What the file's own version filled in, where it knew the args' type.
config::ArgsOf then(const config::Configuration &era, const config::ArgsOf &today) {
    return [&](std::size_t profile, std::string_view plugin) {
        const auto *version = config::defaults_of(era.version);
        if (config::defaults_v1().has_type(plugin) || version->args_of(plugin))
            return config::era_args(era, profile, plugin);
        return today(profile, plugin);
    };
}

/// Every extension point by itself, with the plugins that are called there and what their scores weigh.
model::Result<config::Configuration> expanded(const config::Configuration &configuration,
                                              const Inspections &inspections) {
    auto out = configuration;
    for (std::size_t i = 0; i < out.profiles.size(); ++i) {
        const auto &expansion = inspections[i].expansion;
        if (!expansion) return model::Error{inspections[i].faults.front()};
        config::PluginEntry all{"*", 0, {}};
        for (const auto &names : model::extension_points) {
            auto &set = out.profiles[i].at(names.point);
            set = {};
            for (const auto &name : expansion->at(names.point)) {
                auto weight = expansion->weights.find(name);
                bool scores = names.point == model::ExtensionPoint::Score && weight != expansion->weights.end();
                set.enabled.push_back({name, scores ? static_cast<std::int32_t>(weight->second) : 0, {}});
            }
        }
        out.profiles[i].at(model::ExtensionPoint::MultiPoint).disabled.push_back(all);
    }
    return out;
}

/// A file of a version whose defaults fill every point keeps them out.
void without_defaults(config::Configuration &configuration, const config::VersionDefaults &version) {
    if (!version.written_out) return;
    for (auto &profile : configuration.profiles)
        for (const auto &names : model::extension_points)
            if (names.point != model::ExtensionPoint::MultiPoint) profile.at(names.point).disabled = {{"*", 0, {}}};
            else profile.at(names.point) = {};
}

config::Draft in_its_own_version(const config::Configuration &configuration, const Inspections &inspections) {
    auto args = today(configuration, inspections);
    if (!configuration.as_written) return config::dump(configuration, config::defaults_v1(), args);
    const auto &own = *configuration.as_written;
    return config::dump(own, *config::defaults_of(own.version), then(own, args));
}

model::Result<Inspections> inspected(const config::Configuration &configuration, plugin::Catalog &catalog) {
    auto out = plugin::inspect(configuration, catalog);
    std::string faults;
    for (const auto &profile : out)
        for (const auto &fault : profile.argument_faults) faults += (faults.empty() ? "" : "\n") + fault;
    if (!faults.empty()) return model::Error{faults};
    return out;
}

}  // namespace

int print(const config::Draft &value, ConfigFormat format) {
    auto tree = value.tree();
    std::cout << (format == ConfigFormat::Json ? decode::to_json(tree->value(), 2) + "\n"
                                               : decode::to_yaml(tree->value()));
    std::cout.flush();
    return std::cout ? done
                     : refuse("the result could not be written to the end of standard output; is the disk full?");
}

int config_view(const ConfigOptions &options) {
    auto configuration = read_config(options.files.empty() ? "" : options.files.front());
    if (!configuration) return refuse(configuration.error().text);
    warn(configuration->warnings);
    const auto &own = configuration->as_written ? *configuration->as_written : *configuration;
    auto wanted = options.version.substr(options.version.rfind('/') + 1);
    const auto &version = *config::defaults_of(wanted.empty() ? own.version : wanted);

    auto catalog = open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);
    auto inspections = inspected(*configuration, *catalog);
    warn(catalog->warnings());
    if (!inspections) return refuse(inspections.error().text);
    if (version.version == own.version && !options.expanded)
        return print(in_its_own_version(*configuration, *inspections), options.format);
    auto args = today(*configuration, *inspections);
    if (!options.expanded && !version.written_out) {
        warn(config::without_room(*configuration, version));
        return print(config::dump(*configuration, version, args), options.format);
    }
    auto every_point = expanded(*configuration, *inspections);
    if (!every_point) return refuse(every_point.error().text);
    warn(config::without_room(*every_point, version));
    without_defaults(*every_point, version);
    return print(config::dump(*every_point, version, args), options.format);
}

model::Result<MergedConfig> merged_config(const config::Configuration &configuration, plugin::Catalog &catalog) {
    auto inspections = inspected(configuration, catalog);
    if (!inspections) return inspections.error();
    for (const auto &profile : *inspections)
        if (!profile.faults.empty()) return model::Error{profile.faults.front()};
    return MergedConfig{config::dump(configuration, config::defaults_v1(), today(configuration, *inspections)),
                        in_its_own_version(configuration, *inspections)};
}

int write_config(const config::Configuration &configuration, plugin::Catalog &catalog, const std::string &path) {
    auto written = merged_config(configuration, catalog);
    if (!written) return refuse(written.error().text);
    std::ofstream out(path, std::ios::binary);
    out << decode::to_yaml(written->v1.tree()->value());
    out.close();
    if (!out) return refuse(path + ": cannot be written");
    std::cerr << "Wrote configuration to " << path << '\n';
    return done;
}

}  // namespace berth::cli

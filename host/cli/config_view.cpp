// SPDX-License-Identifier: Apache-2.0
// `berth config view`: the merged configuration, as YAML or JSON.
#include "cli/config.h"
#include "cli/exit_codes.h"
#include "config/defaults.h"
#include "config/dump.h"
#include "decode/write.h"
#include "plugin/merged_config.h"

#include <algorithm>
#include <fstream>

namespace berth::cli {
namespace {

using plugin::Inspections;

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

}  // namespace

int print(const config::MutableTree &value, ConfigFormat format) {
    auto tree = value.tree();
    std::cout << (format == ConfigFormat::Json ? decode::to_json(tree->value(), 2) + "\n"
                                               : decode::to_yaml(tree->value()));
    std::cout.flush();
    return std::cout ? done
                     : refuse("the result could not be written to the end of standard output; is the disk full?");
}

int config_view(const ConfigOptions &options) {
    auto configuration = read_configuration(options);
    if (!configuration) return refuse(configuration.error().text);
    const auto &own = configuration->as_written ? *configuration->as_written : *configuration;
    auto wanted = options.version.substr(options.version.rfind('/') + 1);
    const auto &version = *config::defaults_of(wanted.empty() ? own.version : wanted, options.release);

    auto catalog = plugin::open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);
    auto inspections = plugin::inspect_args(*configuration, *catalog);
    warn(catalog->warnings());
    if (!inspections) return refuse(inspections.error().text);
    if (version.version == own.version && !options.expanded)
        return print(plugin::in_its_own_version(*configuration, *inspections), options.format);
    auto args = plugin::args_in_force(*configuration, *inspections);
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

int write_config(const config::Configuration &configuration, plugin::Catalog &catalog, const std::string &path) {
    auto written = plugin::merged_config(configuration, catalog);
    if (!written) return refuse(written.error().text);
    std::ofstream out(path, std::ios::binary);
    out << decode::to_yaml(written->v1.tree()->value());
    out.close();
    if (!out) return refuse(path + ": cannot be written");
    std::cerr << "Wrote configuration to " << path << '\n';
    return done;
}

}  // namespace berth::cli

// SPDX-License-Identifier: Apache-2.0
#include "plugin/merged_config.h"

#include "config/defaults.h"
#include "config/dump.h"

namespace berth::plugin {
namespace {

/// What the file's own version filled in, where it knew the args' type.
config::ArgsOf own_args(const config::Configuration &era, const config::ArgsOf &in_force) {
    return [&](std::size_t profile, std::string_view plugin) {
        const auto *version = config::defaults_of(era.version, era.release);
        if (config::defaults_v1(era.release).has_type(plugin) || version->args_of(plugin))
            return config::legacy_args(era, profile, plugin);
        return in_force(profile, plugin);
    };
}

}  // namespace

model::Result<Inspections> inspect_args(const config::Configuration &configuration, Catalog &catalog) {
    auto out = inspect(configuration, catalog);
    std::string faults;
    for (const auto &profile : out)
        for (const auto &fault : profile.argument_faults) faults += (faults.empty() ? "" : "\n") + fault;
    if (!faults.empty()) return model::Error{faults};
    return out;
}

config::ArgsOf args_in_force(const config::Configuration &configuration, const Inspections &inspections) {
    return [&](std::size_t profile, std::string_view plugin) -> model::TreePtr {
        const auto *own = configuration.profiles[profile].config_of(plugin);
        const auto &args = inspections[profile].args;
        auto at = args.find(plugin);
        if (at == args.end()) return own ? own->args : nullptr;
        bool shown =
            own || config::defaults_v1(configuration.release).has_type(plugin) || at->second->value().size() > 0;
        return shown ? at->second : nullptr;
    };
}

config::MutableTree in_its_own_version(const config::Configuration &configuration, const Inspections &inspections) {
    auto args = args_in_force(configuration, inspections);
    if (!configuration.as_written) return config::dump(configuration, config::defaults_v1(configuration.release), args);
    const auto &own = *configuration.as_written;
    return config::dump(own, *config::defaults_of(own.version, own.release), own_args(own, args));
}

model::Result<MergedConfig> merged_config(const config::Configuration &configuration, Catalog &catalog) {
    auto inspections = inspect_args(configuration, catalog);
    if (!inspections) return inspections.error();
    for (const auto &profile : *inspections)
        if (!profile.faults.empty()) return model::Error{profile.faults.front()};
    return MergedConfig{config::dump(configuration, config::defaults_v1(configuration.release),
                                     args_in_force(configuration, *inspections)),
                        in_its_own_version(configuration, *inspections)};
}

}  // namespace berth::plugin

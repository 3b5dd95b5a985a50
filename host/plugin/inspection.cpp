// SPDX-License-Identifier: Apache-2.0
#include "plugin/inspection.h"

#include "config/defaults.h"
#include "plugin/arguments.h"

namespace berth::plugin {
namespace {

using model::ExtensionPoint;

ProfileInspection inspect(const config::Configuration &configuration, std::size_t index, Catalog &catalog) {
    ProfileInspection out;
    const auto &profile = configuration.profiles[index];
    std::map<std::string, const LoadedPlugin *, std::less<>> loaded;
    for (const auto *entry : needed_plugins(profile)) {
        auto found = catalog.find(entry->name);
        if (!found) {
            out.faults.push_back(entry->place.text() + ": " + found.error().text);
            continue;
        }
        if (!*found) {
            out.missing.push_back(entry->name);
            continue;
        }
        loaded.emplace(entry->name, *found);
        auto arguments = arguments_of({configuration, index, *entry, **found});
        if (arguments) out.args.emplace(entry->name, arguments->tree);
        else out.argument_faults.push_back(arguments.error().text);
        // That the plugin is named twice is an error already; what is wrong with the other arguments is one more.
        for (std::size_t nth = 1; profile.config_of(entry->name, nth); ++nth)
            if (auto other = arguments_of({configuration, index, *entry, **found, nth}); !other)
                out.argument_faults.push_back(other.error().text);
    }
    // A library that cannot be loaded has been named; that its plugins do not exist would only repeat it.
    if (!out.faults.empty()) return out;
    auto expansion = expand(
        profile,
        [&](std::string_view name, ExtensionPoint point) -> std::optional<bool> {
            auto at = loaded.find(name);
            if (at == loaded.end()) return std::nullopt;
            return can_be_enabled(*at->second, point, release_for(configuration, name));
        },
        catalog.searched(), catalog.offered_names());
    if (expansion) out.expansion = *std::move(expansion);
    else out.faults.push_back(expansion.error().text);
    return out;
}

}  // namespace

std::vector<ProfileInspection> inspect(const config::Configuration &configuration, Catalog &catalog) {
    std::vector<ProfileInspection> out;
    for (std::size_t i = 0; i < configuration.profiles.size(); ++i) out.push_back(inspect(configuration, i, catalog));
    return out;
}

}  // namespace berth::plugin

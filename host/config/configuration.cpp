// SPDX-License-Identifier: Apache-2.0
#include "config/configuration.h"

#include <algorithm>

namespace berth::config {

std::string Place::text() const {
    std::string out = file;
    if (line) out += ':' + std::to_string(line) + ':' + std::to_string(column);
    if (!path.empty()) out += (out.empty() ? "" : ": ") + path;
    return out;
}

bool PluginSet::disables(std::string_view name) const {
    return std::ranges::any_of(disabled, [&](const PluginEntry &entry) { return entry.name == name; });
}

const PluginConfig *Profile::config_of(std::string_view plugin, std::size_t nth) const {
    for (const auto &entry : plugin_config)
        if (entry.name == plugin && nth-- == 0) return &entry;
    return nullptr;
}

const Profile *Configuration::profile(std::string_view scheduler_name) const {
    auto at = std::ranges::find(profiles, scheduler_name, &Profile::scheduler_name);
    return at == profiles.end() ? nullptr : &*at;
}

}  // namespace berth::config

// SPDX-License-Identifier: Apache-2.0
#include "config/merge.h"

#include <map>
#include <set>
#include <string_view>

namespace berth::config {

PluginSet merge(const PluginSet &defaults, const PluginSet &custom) {
    PluginSet out;
    out.disabled = custom.disabled;
    out.disabled.insert(out.disabled.end(), defaults.disabled.begin(), defaults.disabled.end());
    for (auto &entry : out.disabled) entry.weight = 0;  // what is not there weighs nothing

    std::map<std::string_view, std::size_t> custom_index;  // of two entries of one name, the last
    for (std::size_t i = 0; i < custom.enabled.size(); ++i) custom_index[custom.enabled[i].name] = i;

    std::set<std::size_t> replacing;
    if (!out.disables("*"))
        for (const auto &entry : defaults.enabled) {
            if (out.disables(entry.name)) continue;
            auto own = custom_index.find(entry.name);
            if (own != custom_index.end()) replacing.insert(own->second);
            out.enabled.push_back(own == custom_index.end() ? entry : custom.enabled[own->second]);
        }
    for (std::size_t i = 0; i < custom.enabled.size(); ++i)
        if (!replacing.contains(i)) out.enabled.push_back(custom.enabled[i]);
    return out;
}

PluginSet append(const PluginSet &defaults, const PluginSet &custom) {
    PluginSet out;
    out.disabled = custom.disabled;
    if (!custom.disables("*"))
        for (const auto &entry : defaults.enabled)
            if (!custom.disables(entry.name)) out.enabled.push_back(entry);
    out.enabled.insert(out.enabled.end(), custom.enabled.begin(), custom.enabled.end());
    return out;
}

}  // namespace berth::config

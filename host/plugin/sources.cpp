// SPDX-License-Identifier: Apache-2.0
#include "plugin/sources.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

namespace berth::plugin {

namespace {

std::string installed_plugin_dir() { return installed("lib/berth/plugins"); }

}  // namespace

std::string installed(std::string_view path) {
    std::error_code error;
    auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return (self.parent_path().parent_path() / path).string();
}

std::vector<std::string> plugin_directories(const PluginOptions &options) {
    auto out = options.directories;
    out.push_back(installed_plugin_dir());
    return out;
}

model::Result<Catalog> open_catalog(const PluginOptions &options, std::vector<Pin> pins) {
    CatalogOptions wanted;
    wanted.insecure = options.insecure;
    wanted.directories = options.directories;
    // Without a directory of their own people mean the installed plugins, and these have to be there then.
    if (wanted.directories.empty()) wanted.directories.push_back(installed_plugin_dir());
    else wanted.installed = installed_plugin_dir();
    for (const auto &text : options.pins) {
        auto pin = parse_pin(text);
        if (!pin) return pin.error();
        wanted.pins.push_back(std::move(*pin));
    }
    std::ranges::move(pins, std::back_inserter(wanted.pins));
    return Catalog::open(std::move(wanted));
}

}  // namespace berth::plugin

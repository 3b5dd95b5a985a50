// SPDX-License-Identifier: Apache-2.0
#include "cli/sources.h"

#include "config/read.h"
#include "decode/text_file.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

namespace berth::cli {

namespace {

std::string installed_plugin_dir() { return installed("lib/berth/plugins"); }

}  // namespace

std::string installed(std::string_view path) {
    std::error_code error;
    auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return (self.parent_path().parent_path() / path).string();
}

model::Result<std::string> read_config_text(const std::string &path) {
    return decode::read_text_file(path, "a KubeSchedulerConfiguration file");
}

model::Result<config::Configuration> read_config(const std::string &path) {
    if (path.empty()) return config::built_in();
    auto bytes = read_config_text(path);
    if (!bytes) return bytes.error();
    return config::read(*bytes, path);
}

std::vector<std::string> plugin_directories(const PluginOptions &options) {
    auto out = options.directories;
    out.push_back(installed_plugin_dir());
    return out;
}

model::Result<plugin::Catalog> open_catalog(const PluginOptions &options, std::vector<plugin::Pin> pins) {
    plugin::CatalogOptions wanted;
    wanted.insecure = options.insecure;
    wanted.directories = options.directories;
    // Without a directory of their own people mean the installed plugins, and these have to be there then.
    if (wanted.directories.empty()) wanted.directories.push_back(installed_plugin_dir());
    else wanted.installed = installed_plugin_dir();
    for (const auto &text : options.pins) {
        auto pin = plugin::parse_pin(text);
        if (!pin) return pin.error();
        wanted.pins.push_back(std::move(*pin));
    }
    std::ranges::move(pins, std::back_inserter(wanted.pins));
    return plugin::Catalog::open(std::move(wanted));
}

}  // namespace berth::cli

// SPDX-License-Identifier: Apache-2.0
#include "offline/recorded_plugins.h"

#include "env/sha256.h"
#include "plugin/fault.h"
#include "plugin/library_owner.h"
#include "plugin/loaded.h"

#include <algorithm>
#include <map>

namespace berth::offline {
namespace {

/// The digest of a file, or why there is none.
model::Result<std::string> digest_of(const std::string &file) {
    auto opened = plugin::open_library(file);
    if (!opened) return opened.error();
    return env::sha256_of(opened->get());
}

/// The file that the options pin for the plugin; empty: they do not.
std::string pinned_file(const live::RecordedPlugin &wanted, const plugin::PluginOptions &plugins) {
    for (const auto &text : plugins.pins)
        if (const auto pin = plugin::parse_pin(text); pin && pin->name == wanted.name) return pin->file;
    return {};
}

/// Where the recorded library may be.
std::vector<std::string> files_of(const live::RecordedPlugin &wanted, const Instead &instead) {
    std::vector<std::string> out;
    if (auto pinned = pinned_file(wanted, instead.plugins); !pinned.empty()) out.push_back(std::move(pinned));
    const auto name = wanted.file.substr(wanted.file.rfind('/') + 1);
    if (!name.empty() && name != "." && name != "..")
        for (const auto &directory : plugin::plugin_directories(instead.plugins)) out.push_back(directory + "/" + name);
    if (instead.allow_recorded && wanted.file.starts_with('/')) out.push_back(wanted.file);
    return out;
}

model::Result<std::string> find_file(const live::RecordedPlugin &wanted, const Instead &instead,
                                     const std::string &recording) {
    std::string found;
    for (const auto &place : files_of(wanted, instead)) {
        const auto digest = digest_of(place);
        if (digest && *digest == wanted.sha256) return place;
        found += "\n  " + (digest ? place + " has sha256 " + *digest : digest.error().text);
    }
    return model::Error{recording + ": plugin " + plugin::in_quotes(wanted.name) + " was recorded with " +
                        plugin::in_quotes(wanted.file) + ", sha256 " + plugin::in_quotes(wanted.sha256) +
                        ", and a recording does not choose what is loaded here:" + found +
                        "\ngive the directory of that library by --plugin-dir DIR, or another library for that plugin "
                        "by --plugin NAME=FILE" +
                        (instead.allow_recorded ? ""
                                                : "; --allow-recorded-plugins takes it from where the recording says "
                                                  "that it was, if you trust who made the recording")};
}

}  // namespace

model::Result<std::vector<plugin::Pin>> recorded_pins(const live::RecordedBuild &build, const Instead &instead,
                                                      const std::string &recording) {
    std::vector<plugin::Pin> out;
    for (const auto &one : build.plugins) {
        if (!instead.as_then && !pinned_file(one, instead.plugins).empty()) continue;
        auto file = find_file(one, instead, recording);
        if (!file) return file.error();
        // Not by its SHA-256: that would do for a file that anybody can have written.
        out.push_back({one.name, *file, one.plugin, {}});
    }
    return out;
}

std::vector<std::string> other_libraries(const live::RecordedBuild &build, std::span<const plugin::Profile> profiles) {
    std::vector<std::string> out;
    std::map<int, std::string> digests;  // a library often has many plugins
    for (const auto &profile : profiles)
        for (const auto &instance : profile.instances) {
            const auto then = std::ranges::find(build.plugins, instance->name, &live::RecordedPlugin::name);
            const auto from = instance->plugin ? plugin::loaded_from(instance->plugin) : std::nullopt;
            if (then == build.plugins.end() || !from) continue;
            auto &digest = digests[from->fd];
            if (digest.empty()) digest = env::sha256_of(from->fd) ? *env::sha256_of(from->fd) : "?";
            if (digest != then->sha256)
                out.push_back("plugin " + plugin::in_quotes(instance->name) + ": " + from->file +
                              " is not the library that it was recorded with: its sha256 is " + digest +
                              ", recorded was " + plugin::in_quotes(then->sha256));
        }
    return out;
}

}  // namespace berth::offline

// SPDX-License-Identifier: Apache-2.0
#include "live/shadow_source.h"

#include "config/feature_gates.h"
#include "config/file.h"
#include "plugin/catalog.h"

#include <algorithm>

namespace berth::live {

plugin::PluginOptions shadow_plugins(const ShadowOptions &options, const plugin::PluginOptions &real) {
    auto out = real;
    if (!options.directories.empty()) out.directories = options.directories;
    out.pins = options.pins;
    auto name_of = [](const std::string &pin) { return pin.substr(0, pin.find('=')); };
    for (const auto &pin : real.pins)
        if (std::ranges::find(options.pins, name_of(pin), name_of) == options.pins.end()) out.pins.push_back(pin);
    return out;
}

model::Result<config::Configuration> read_shadow(const ShadowOptions &options, const config::Configuration &real) {
    auto out = config::read_config(options.config, options.release.value_or(real.release));
    if (!out) return model::Error{"--shadow: " + out.error().text};
    for (const auto &profile : out->profiles) {
        if (real.profile(profile.scheduler_name)) continue;
        std::string names;
        for (const auto &one : real.profiles) names += (names.empty() ? "\"" : ", \"") + one.scheduler_name + "\"";
        return model::Error{"--shadow: " + profile.place.text() + ".schedulerName: \"" + profile.scheduler_name +
                            "\" is no profile of the configuration that schedules, so that no pod could be compared; "
                            "expected one of " +
                            names};
    }
    if (auto applied = config::apply_gates(real.feature_gates, *out); !applied)
        return model::Error{"--shadow: " + applied.error().text};
    return out;
}

std::string other_release(const ShadowOptions &options) { return options.release ? options.release->text() : ""; }

std::vector<std::string> shadow_warnings(const config::Configuration &shadow, const config::Configuration &real) {
    std::vector<std::string> out;
    for (const auto &text : shadow.warnings) out.push_back("--shadow: " + text);
    if (!shadow.extenders.empty() || !real.extenders.empty())
        out.emplace_back(
            "--shadow: extenders are not asked for the shadow; where they decide, its decisions count as differing");
    return out;
}

plugin::Services shadow_services(plugin::Services real, env::Log &log) {
    real.shadow = true;
    real.log = &log;
    real.misbehaviour = nullptr;
    real.metrics = nullptr;
    return real;
}

void ShadowLog::write(env::Severity severity, int verbosity, std::string_view message, const Pairs &pairs,
                      std::source_location where) {
    auto marked = pairs;
    marked.emplace_back("shadow", "true");
    log_.write(severity, verbosity, message, marked, where);
}

void ShadowLog::write_text(env::Severity severity, int verbosity, std::string_view plugin, std::string_view text) {
    log_.write_text(severity, verbosity, "shadow/" + std::string(plugin), text);
}

}  // namespace berth::live

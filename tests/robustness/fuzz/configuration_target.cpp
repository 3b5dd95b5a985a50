// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include "config/defaults.h"
#include "config/dump.h"
#include "config/read.h"
#include "decode/write.h"

namespace berth::fuzz {
namespace {

/// Every line of a refusal names the file.
void check_refusal(const std::string &errors) {
    promise(errors.starts_with("f.yaml"), "a refusal begins with the file");
}

}  // namespace

void configuration(std::string_view bytes) {
    const auto reading = config::read_all(bytes, "f.yaml");
    if (!reading.errors.empty()) check_refusal(reading.errors);
    promise(reading.configuration || !reading.errors.empty(), "a refusal says why");
    if (!reading.configuration) return;
    const auto &read = *reading.configuration;
    const config::ArgsOf args = [&](std::size_t profile, std::string_view plugin) {
        return config::legacy_args(read, profile, plugin);
    };
    const auto written = config::dump(read, config::defaults_v1(), args).tree();
    const auto yaml = decode::to_yaml(written->value()), json = decode::to_json(written->value());
    for (std::size_t i = 0; i < read.profiles.size(); ++i)
        for (const auto &own : read.profiles[i].plugin_config)
            (void)config::args_place(read, i, own.name, "/scoringStrategy/resources/0");
    if (!reading.errors.empty()) return;
    for (const auto &text : {yaml, json}) {
        const auto again = config::read_all(text, "f.yaml");
        promise(again.configuration.has_value() && again.errors.empty(), "what was written is read again");
        promise(again.configuration->profiles.size() == read.profiles.size(), "no profile is lost");
        const config::ArgsOf same = [&](std::size_t profile, std::string_view plugin) {
            return config::legacy_args(*again.configuration, profile, plugin);
        };
        const auto twice = config::dump(*again.configuration, config::defaults_v1(), same).tree();
        promise(decode::to_yaml(twice->value()) == yaml, "what was read again is written alike");
    }
}

}  // namespace berth::fuzz

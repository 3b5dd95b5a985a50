// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Command-line options that several commands share: seed, plugin files, release.

#include "config/release.h"
#include "plugin/sources.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace berth::cli {

/// An option whose value is one of a few words.
template <class T>
void add_words(CLI::App &app, const std::string &name, T &into, const std::string &type, const std::string &help,
               const std::map<std::string, T> &words) {
    app.add_option_function<std::string>(
           name, [&into, words](const std::string &word) { into = words.at(word); }, help)
        ->check(CLI::IsMember(words))
        ->type_name(type);
}

/// What is wrong with a seed; "" if nothing.
std::string seed_fault(const std::string &text);
void add_seed(CLI::App &c, std::uint64_t &seed);
void add_plugin_files(CLI::App &c, plugin::PluginOptions &o);
/// The same and how closely plugins are watched.
void add_plugins(CLI::App &c, plugin::PluginOptions &o);
/// An option whose value is a release of Kubernetes.
void add_release(CLI::App &c, const std::string &name, std::optional<config::Release> &into, const std::string &help);
/// The release of Kubernetes that Berth decides as; `otherwise` says which without the option.
void add_kubernetes(CLI::App &c, std::optional<config::Release> &into, const std::string &otherwise);
void add_kubernetes(CLI::App &c, config::Release &into);
/// A duration as Go writes it.
void add_duration(CLI::App &c, const std::string &name, std::chrono::nanoseconds &into, const std::string &help);

}  // namespace berth::cli

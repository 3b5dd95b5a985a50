// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_options.h"

#include <berth/time.hpp>

#include <charconv>
#include <functional>

namespace berth::cli {
/// CLI11 itself takes -1 and numbers that are too large for others. What is accepted here fits JSON output, too.
std::string seed_fault(const std::string &text) {
    std::int64_t n = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    bool whole = error == std::errc{} && end == text.data() + text.size() && n >= 0;
    return whole ? "" : "expected a whole number from 0 to 9223372036854775807, got " + text;
}

void add_seed(CLI::App &c, std::uint64_t &seed) {
    c.add_option("--seed", seed, "Seed of random choices; the same seed gives the same result")
        ->capture_default_str()
        ->check(CLI::Validator(seed_fault, ""));
}

void add_plugin_files(CLI::App &c, plugin::PluginOptions &o) {
    c.add_option("--plugin-dir", o.directories, "Directory of plugin libraries, searched before the installed ones")
        ->allow_extra_args(false);
    c.add_option("--plugin", o.pins, "Pin a plugin: NAME=FILE[#PLUGIN][@sha256:HEX]")->allow_extra_args(false);
    c.add_flag("--insecure-plugins", o.insecure, "Also load plugin files that other users own or can write");
}

void add_plugins(CLI::App &c, plugin::PluginOptions &o) {
    add_plugin_files(c, o);
    add_words<plugin::Checks>(
        c, "--plugin-checks", o.checks, "LEVEL", "Checks on plugins: off, basic (the default) or strict",
        {{"off", plugin::Checks::Off}, {"basic", plugin::Checks::Basic}, {"strict", plugin::Checks::Strict}});
}

namespace {

void add_release(CLI::App &c, const std::string &name, const std::string &help,
                 const std::function<void(config::Release)> &take) {
    c.add_option_function<std::string>(
         name,
         [name, take](const std::string &text) {
             const auto release = config::Release::of(text);
             if (!release) throw CLI::ValidationError(name, "expected " + config::Release::names() + ", got " + text);
             take(*release);
         },
         help)
        ->type_name("VERSION");
}

void add_kubernetes(CLI::App &c, const std::function<void(config::Release)> &take, const std::string &otherwise) {
    add_release(c, "--kubernetes-version",
                "Version of Kubernetes whose scheduler decides so: " + config::Release::names() +
                    ", which is in work (default: " + otherwise + ")",
                take);
}

}  // namespace

void add_release(CLI::App &c, const std::string &name, std::optional<config::Release> &into, const std::string &help) {
    add_release(c, name, help, [&into](config::Release release) { into = release; });
}

void add_kubernetes(CLI::App &c, std::optional<config::Release> &into, const std::string &otherwise) {
    add_kubernetes(c, [&into](config::Release release) { into = release; }, otherwise);
}

void add_kubernetes(CLI::App &c, config::Release &into) {
    add_kubernetes(c, [&into](config::Release release) { into = release; }, into.text());
}

void add_duration(CLI::App &c, const std::string &name, std::chrono::nanoseconds &into, const std::string &help) {
    c.add_option_function<std::string>(
         name,
         [name, &into](const std::string &text) {
             auto read = parse_duration(text);
             if (!read || read->count() < 0)
                 throw CLI::ValidationError(name, "expected a duration such as 10s or 1m30s, got " + text);
             into = *read;
         },
         help)
        ->type_name("DURATION");
}

}  // namespace berth::cli

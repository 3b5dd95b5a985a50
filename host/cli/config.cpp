// SPDX-License-Identifier: Apache-2.0
#include "cli/config.h"

#include "cli/exit_codes.h"
#include "config/file.h"
#include "config/read.h"
#include "kube/url.h"
#include "offline/profiles.h"
#include "plugin/inspection.h"

#include <algorithm>
#include <optional>
#include <sstream>

namespace berth::cli {
namespace {

void add(std::vector<std::string> &lines, const std::string &text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
}

/// Everything that is wrong with a file, one line each.
std::vector<std::string> errors_of(const std::string &bytes, const std::string &file, const ConfigOptions &options,
                                   const std::optional<config::FeatureGates> &gates, plugin::Catalog &catalog) {
    std::vector<std::string> out;
    auto [configuration, errors] = config::read_all(bytes, file, options.release);
    add(out, errors);
    if (!configuration) return out;
    if (gates)
        if (auto applied = gates->apply(*configuration); !applied) add(out, applied.error().text);
    if (errors.empty()) warn(configuration->warnings);
    for (const auto &profile : plugin::inspect(*configuration, catalog)) {
        for (const auto &fault : profile.argument_faults) add(out, fault);
        // How plugins come together is only worth a word when the lists themselves are right.
        if (errors.empty())
            for (const auto &fault : profile.faults) add(out, fault);
    }
    for (const auto &extender : configuration->extenders)
        if (auto address = kube::parse_server(extender.url_prefix); !address)
            add(out, extender.where + ": " + address.error().text);
    if (!out.empty()) return out;
    // What profiles must have in common, and what a plugin finds out only when it is made.
    offline::Offline offline;
    if (auto profiles = offline.profiles(*configuration, catalog, options.plugins.checks); !profiles)
        add(out, profiles.error().text);
    return out;
}

}  // namespace

model::Result<config::Configuration> read_configuration(const ConfigOptions &options) {
    const auto gates = config::honoured_gates(options.gates, options.release);
    if (!gates) return gates.error();
    auto out = config::read_config(options.files.empty() ? "" : options.files.front(), options.release);
    if (!out) return out;
    if (auto applied = config::apply_gates(*gates, *out); !applied) return applied.error();
    warn(out->warnings);
    return out;
}

int config_validate(const ConfigOptions &options) {
    const auto gates = config::honoured_gates(options.gates, options.release);
    if (!gates) return refuse(gates.error().text);
    if (*gates) warn((*gates)->warnings());
    auto catalog = plugin::open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);
    int code = done;
    for (const auto &file : options.files) {
        auto bytes = config::read_config_text(file);
        if (!bytes) return refuse(bytes.error().text);
        auto errors = errors_of(*bytes, file, options, *gates, *catalog);
        for (const auto &error : errors) std::cout << error << '\n';
        if (errors.empty()) std::cout << file << ": valid\n";
        else code = answer_is_no;
    }
    warn(catalog->warnings());
    return code;
}

int config_convert(const ConfigOptions &options) {
    auto configuration = read_configuration(options);
    if (!configuration) return refuse(configuration.error().text);
    return print(config::MutableTree::of(*configuration->source), options.format);
}

}  // namespace berth::cli

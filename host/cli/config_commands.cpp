// SPDX-License-Identifier: Apache-2.0
#include "cli/config_commands.h"

#include "cli/feature_gates.h"
#include "cli/shared_options.h"
#include "config/defaults.h"

#include <algorithm>

namespace berth::cli {
namespace {

std::string version_fault(const std::string &text) {
    const auto &versions = config::versions();
    if (std::ranges::find(versions, text.substr(text.rfind('/') + 1)) != versions.end()) return "";
    std::string all;
    for (const auto &version : versions) all += (all.empty() ? "" : ", ") + version;
    return "expected one of " + all + ", got " + text;
}

}  // namespace

CLI::App *ConfigCommands::add(const char *name, const char *help) {
    auto *c = app_->add_subcommand(name, help);
    c->add_option("FILE,--config", options_.files, "KubeSchedulerConfiguration");
    return c;
}

ConfigCommands::ConfigCommands(CLI::App &app)
    : app_(app.add_subcommand("config", "Work with configuration files: view, convert, validate, rbac")),
      view_(add("view", "Print the configuration with every default, as kube-scheduler does")),
      convert_(add("convert", "Convert a file of an older API version to v1")),
      validate_(add("validate", "List every error in configuration files")),
      rbac_(add("rbac", "Print the least privileges that it needs: a ClusterRole and Roles")) {
    app_->require_subcommand(1);
    for (auto *c : {view_, convert_, rbac_}) {
        c->get_option("FILE")->expected(0, 1)->take_all();
        add_words<ConfigFormat>(*c, "-o,--output", options_.format, "FORMAT", "yaml (the default) or json",
                                {{"yaml", ConfigFormat::Yaml}, {"json", ConfigFormat::Json}});
    }
    for (auto *c : {convert_, validate_}) c->get_option("FILE")->required();
    for (auto *c : {view_, validate_, rbac_}) add_plugins(*c, options_.plugins);
    for (auto *c : {view_, convert_, validate_, rbac_}) add_kubernetes(*c, options_.release);
    for (auto *c : {view_, validate_, rbac_}) add_gates(*c, options_.gates);
    view_->add_option("--api-version", options_.version, "API version to print (default: that of the file)")
        ->type_name("VERSION")
        ->check(CLI::Validator(version_fault, ""));
    view_->add_flag("--expanded", options_.expanded, "Show each extension point with the plugins called there");
}

int ConfigCommands::run() const {
    if (view_->parsed()) return config_view(options_);
    if (convert_->parsed()) return config_convert(options_);
    return validate_->parsed() ? config_validate(options_) : config_rbac(options_);
}

}  // namespace berth::cli

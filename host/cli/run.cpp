// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include "cli/config.h"
#include "cli/exit_codes.h"
#include "cli/feature_gates.h"
#include "cli/switch.h"
#include "live/crash_record.h"

#include <optional>

namespace berth::cli {
namespace {

constexpr int leadership_lost = 1;  // kube-scheduler's exit code

/// `--write-config-to`.
int write_merged_config(const live::RunOptions &options, const std::string &path) {
    (void)live::CrashRecord::open("-");  // a plugin that ends the process is named; `run` itself keeps a record
    auto configuration = live::read_configuration(options);
    if (!configuration) return refuse(configuration.error().text);
    auto catalog = plugin::open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);
    warn(configuration->warnings);
    return write_config(*configuration, *catalog, path);
}

}  // namespace

int run(const RunFlags &flags) {
    const bool from_file = !flags.options.config.empty();
    auto options = flags.options;
    const auto gates = config::honoured_gates(flags.gates, options.release);
    if (!gates) return refuse(gates.error().text);
    options.override_configuration = [&](config::Configuration &configuration) -> model::Result<void> {
        if (auto applied = flags.election.apply(configuration.leader_election); !applied) return applied;
        flags.kube_scheduler.apply(configuration, from_file);
        return *gates ? (*gates)->apply(configuration) : model::Result<void>();
    };
    options.idle = flags.kube_scheduler.idle(from_file);
    if (*gates)
        for (auto &one : idle_gates(**gates)) options.idle.push_back(std::move(one));
    options.master = flags.kube_scheduler.master();
    if (!flags.ui.empty()) options.serving.ui = is_on(flags.ui);
    if (!flags.write_config_to.empty()) return write_merged_config(options, flags.write_config_to);
    const auto ended = live::run(options);
    if (!ended) return refuse(ended.error().text);
    return *ended == live::Ended::LostLeadership ? leadership_lost : done;
}

}  // namespace berth::cli

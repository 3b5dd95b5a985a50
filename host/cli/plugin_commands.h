// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The command-line options of `berth plugin`.

#include "cli/plugin.h"
#include "cli/plugin_bench.h"
#include "cli/plugin_new.h"
#include "cli/plugin_verify.h"

#include <CLI/CLI.hpp>

namespace berth::cli {

/// list and inspect share what they take; so do verify and bench in part.
class PluginCommands {
    PluginCommandOptions options_;
    PluginVerifyOptions verify_options_;
    PluginBenchOptions bench_options_;
    PluginNewOptions new_options_;
    CLI::App *app_, *list_, *inspect_, *verify_, *bench_, *new_;

    void add_verify();

public:
    explicit PluginCommands(CLI::App &app);
    bool chosen() const { return app_->parsed(); }
    int run() const;
};

}  // namespace berth::cli

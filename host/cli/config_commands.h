// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The command-line options of `berth config`.

#include "cli/config.h"

#include <CLI/CLI.hpp>

namespace berth::cli {

/// Its commands share what they take.
class ConfigCommands {
    ConfigOptions options_;
    CLI::App *app_, *view_, *convert_, *validate_, *rbac_;

    CLI::App *add(const char *name, const char *help);

public:
    explicit ConfigCommands(CLI::App &app);
    bool chosen() const { return app_->parsed(); }
    int run() const;
};

}  // namespace berth::cli

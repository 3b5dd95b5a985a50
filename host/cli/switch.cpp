// SPDX-License-Identifier: Apache-2.0
#include "cli/switch.h"

#include <CLI/CLI.hpp>

#include <set>

namespace berth::cli {

void add_switch(CLI::App &app, const std::string &name, std::string &into, const std::string &help) {
    static const std::set<std::string> words{"true",  "True",  "TRUE",  "t", "T", "1",
                                             "false", "False", "FALSE", "f", "F", "0"};
    app.add_flag(name + "{true}", into, help)
        ->check(
            [](const std::string &text) { return words.contains(text) ? "" : "expected true or false, got " + text; })
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

bool is_on(const std::string &text) { return text.starts_with('t') || text.starts_with('T') || text == "1"; }

}  // namespace berth::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Boolean flags in the form of Go's programs: --name, --name=true, --name=f.

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours to choose
class App;
}

namespace berth::cli {

/// `into` gets what was written, and stays empty without the flag. Words that are none of Go's are refused: CLI11
/// itself would fail with them.
void add_switch(CLI::App &app, const std::string &name, std::string &into, const std::string &help);
/// Of a switch that was given.
bool is_on(const std::string &text);

}  // namespace berth::cli

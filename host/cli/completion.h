// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth completion`: the shells' completion of commands and options. The script of each shell asks the program itself
/// (`berth __complete WORD…`), so that it knows the commands and options of the berth that is installed.

#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace berth::cli {

inline constexpr const char *complete_command = "__complete";

/// What may stand in the place of the last word, behind the other ones: a line each, with a tab and its description if
/// it has one. The last line says what else may: `:files`, `:directories` or `:nothing`.
std::string completions(const CLI::App &app, std::span<const char *const> words);

/// "bash", "zsh" or "fish".
std::string completion_script(std::string_view shell);

}  // namespace berth::cli

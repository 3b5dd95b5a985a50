// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Protection of the terminal from escape sequences in the output of every command (report/terminal_text.h).

namespace berth::cli {

/// From now on std::cout and std::cerr write so, until the end of the process.
void guard_terminal();

}  // namespace berth::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Standard output and standard error of every command: what is printed commands no terminal (report/terminal_text.h).

namespace berth::cli {

/// From now on std::cout and std::cerr write so, until the end of the process.
void guard_terminal();

}  // namespace berth::cli

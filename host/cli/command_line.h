// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The command line: it parses the options of all commands and runs the command.

namespace berth::cli {

/// Understands the command line and runs the command. Returns the exit code: 0 done, 1 the answer is no, 2 wrong usage
/// or bad input.
int run(int argc, const char *const *argv);

}  // namespace berth::cli

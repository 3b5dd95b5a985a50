// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace berth::cli {

/// Understands the command line and runs the command. Returns the exit code: 0 done, 1 the answer is no, 2 wrong usage
/// or bad input.
int run(int argc, const char *const *argv);

}  // namespace berth::cli

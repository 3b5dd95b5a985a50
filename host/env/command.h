// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A child process, run to its end with a timeout and a limit of its output.

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace berth::env {

struct Command {
    std::string program;  ///< a path if there is a slash in it, else looked for in PATH
    std::vector<std::string> arguments;
    std::map<std::string, std::string> environment;  ///< beside our own, of which it wins
    bool keeps_input = false;                        ///< reads our standard input; else it finds that at its end
    bool low_priority = false;  ///< runs at idle priority, and is the first victim when memory is short
};

struct CommandEnd {
    bool found = true;       ///< there is such a program
    std::string why;         ///< it did not end well; empty: it exited with 0
    std::string output;      ///< standard output
    std::string complaints;  ///< standard error, its beginning
};

/// Waits for the program, which is killed with all its children when it takes longer than `patience`, says more than
/// `most` or `stop` becomes true. It inherits nothing but standard input, output and error. Any thread; not the loop.
CommandEnd run_command(const Command &command, std::chrono::milliseconds patience, std::size_t most,
                       const std::atomic<bool> &stop);

}  // namespace berth::env

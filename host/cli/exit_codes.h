// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The exit codes of the commands, and the output of errors and warnings.

#include <iostream>
#include <string>
#include <vector>

namespace berth::cli {

inline constexpr int done = 0, answer_is_no = 1, bad_input = 2;  ///< exit codes

/// Says why nothing was done; returns the exit code for that.
inline int refuse(const std::string &text) {
    std::cerr << "berth: " << text << '\n';
    return bad_input;
}

inline void warn(const std::vector<std::string> &texts) {
    for (const auto &text : texts) std::cerr << "warning: " << text << '\n';
}

}  // namespace berth::cli

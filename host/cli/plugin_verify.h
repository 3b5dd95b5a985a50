// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth plugin verify`: it tests a library against the ABI, each test in a process of its own.

#include "cli/plugin_subject.h"
#include "verify/sanitizer.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::cli {

struct PluginVerifyOptions : PluginSubject {
    std::string junit;
    std::optional<verify::Sanitizer> sanitizer;  ///< that the library is built with
    std::vector<std::string> only, accepted;
    std::chrono::nanoseconds time_limit = std::chrono::seconds{60};
    std::size_t jobs = 0;         ///< 0: as many as there are processors
    bool within_process = false;  ///< this is the process of one test
};

/// Returns the exit code: 1 if a test failed.
int plugin_verify(const PluginVerifyOptions &options);

}  // namespace berth::cli

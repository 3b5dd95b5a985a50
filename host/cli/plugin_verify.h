// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth plugin verify`: tries a library as hosts will, each test in a process of its own.

#include "plugin/sources.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace berth::cli {

struct PluginVerifyOptions {
    std::string file;  ///< FILE or FILE#PLUGIN
    std::string config, junit;
    std::vector<std::string> only;
    std::uint64_t seed = 1;
    std::chrono::nanoseconds time_limit = std::chrono::seconds{60};
    std::size_t jobs = 0;  ///< 0: as many as there are processors
    bool insecure = false, json = false;
    bool within_process = false;  ///< this is the process of one test
};

/// Returns the exit code: 1 if a test failed.
int plugin_verify(const PluginVerifyOptions &options);

}  // namespace berth::cli

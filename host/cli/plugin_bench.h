// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth plugin bench`: what a plugin costs in a made-up cluster, extension point by extension point.

#include <cstddef>
#include <cstdint>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours to choose
class App;
}

namespace berth::cli {

struct PluginBenchOptions {
    std::string file;  ///< FILE or FILE#PLUGIN
    std::string config;
    std::size_t nodes = 5000, pods = 100;
    std::uint64_t seed = 1;
    bool insecure = false, json = false;

    void add(CLI::App &command);  ///< all but --seed
};

/// Returns the exit code: 1 if a plugin could not be measured.
int plugin_bench(const PluginBenchOptions &options);

}  // namespace berth::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth plugin bench`: the measured cost of a plugin at each extension point.

#include "cli/plugin_subject.h"

#include <cstddef>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours to choose
class App;
}

namespace berth::cli {

struct PluginBenchOptions : PluginSubject {
    std::size_t nodes = 5000, pods = 100;

    void add(CLI::App &command);  ///< its own
};

/// Returns the exit code: 1 if a plugin could not be measured.
int plugin_bench(const PluginBenchOptions &options);

}  // namespace berth::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth plugin new`: a folder with a plugin that builds, with its test, configuration and papers.

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours to choose
class App;
}

namespace berth::cli {

struct PluginNewOptions {
    std::string name, language = "cpp", output;
    std::vector<std::string> points{"filter"};

    void add(CLI::App &command);
};

int plugin_new(const PluginNewOptions &options);

}  // namespace berth::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth plugin new`: a new folder with a plugin that builds, its test, configuration and documents.

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

// SPDX-License-Identifier: Apache-2.0
#include "config/file.h"

#include "config/read.h"
#include "decode/text_file.h"

namespace berth::config {

model::Result<std::string> read_config_text(const std::string &path) {
    return decode::read_text_file(path, "a KubeSchedulerConfiguration file");
}

model::Result<Configuration> read_config(const std::string &path, Release release) {
    if (path.empty()) return built_in(release);
    auto bytes = read_config_text(path);
    if (!bytes) return bytes.error();
    return read(*bytes, path, release);
}

}  // namespace berth::config

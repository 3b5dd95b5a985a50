// SPDX-License-Identifier: Apache-2.0
#include "paths.h"

#include <cstdlib>

namespace berth::paths {

const std::string &source() {
    static const std::string path = BERTH_SOURCE_DIR;
    return path;
}

const std::string &plugins() {
    static const std::string path = [] {
        const char *given = std::getenv("BERTH_PLUGIN_DIR");
        return given ? given : BERTH_BUILT_PLUGIN_DIR;
    }();
    return path;
}

const std::string &hostile() {
    static const std::string path = BERTH_HOSTILE_DIR;
    return path;
}

}  // namespace berth::paths

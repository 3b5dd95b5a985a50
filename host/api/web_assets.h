// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The files of the dashboard (web/), as the build put them into the program.

#include <span>
#include <string_view>

namespace berth::api {

struct WebAsset {
    std::string_view path;         ///< "index.html", "assets/main-1a2b3c.js"
    std::string_view plain, gzip;  ///< its bytes as they are, and compressed
};
/// Empty if the program was built without npm.
std::span<const WebAsset> web_assets();

}  // namespace berth::api

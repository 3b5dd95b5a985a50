// SPDX-License-Identifier: Apache-2.0
// An empty list of the dashboard's files, for a build without npm. It takes the place of the generated file.
#include "api/web_assets.h"

namespace berth::api {

std::span<const WebAsset> web_assets() { return {}; }

}  // namespace berth::api

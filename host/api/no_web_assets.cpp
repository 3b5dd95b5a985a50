// SPDX-License-Identifier: Apache-2.0
// In the place of the generated file where there is no npm.
#include "api/web_assets.h"

namespace berth::api {

std::span<const WebAsset> web_assets() { return {}; }

}  // namespace berth::api

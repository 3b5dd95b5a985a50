// SPDX-License-Identifier: Apache-2.0
// In the place of the generated file where there is no npm.
#include "cli/web_assets.h"

namespace berth::cli {

std::span<const WebAsset> web_assets() { return {}; }

}  // namespace berth::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where tests find what they read. Only paths.cpp is compiled with the paths, so that a compiler cache serves every
/// clone of this tree.

#include <string>

namespace berth::paths {

/// The root of this tree: fixtures and configurations.
const std::string &source();
/// The plugins that this build made; another folder by the environment's BERTH_PLUGIN_DIR.
const std::string &plugins();
/// The hostile libraries that this build made.
const std::string &hostile();

}  // namespace berth::paths

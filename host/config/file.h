// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of a configuration file: its text, and its configuration.

#include "config/configuration.h"
#include "model/result.h"

#include <string>

namespace berth::config {

/// What a configuration file holds, unread.
model::Result<std::string> read_config_text(const std::string &path);
/// The configuration in a file; the built-in one for an empty path.
model::Result<Configuration> read_config(const std::string &path, Release release = {});

}  // namespace berth::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Files that only their owner can read, for objects with environment variables, annotations and the like.

#include "model/result.h"

#include <fstream>
#include <string>

namespace berth::env {

/// Opens `path` for writing, replacing what is there. A file that this makes can be read and written by its owner
/// alone, whatever the umask; one that is there keeps its mode. The error is the system's own text; the caller knows
/// what the file is for.
model::Result<std::ofstream> open_private(const std::string &path);

}  // namespace berth::env

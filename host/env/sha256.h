// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The SHA-256 of a file, as it stands after `@sha256:`.

#include "model/result.h"

#include <string>

namespace berth::env {

/// 64 lower-case hexadecimal digits for the whole content behind `fd`, whose file offset is neither used nor moved. The
/// error is the system's own text; the caller knows the file's name. Any thread.
model::Result<std::string> sha256_of(int fd);

}  // namespace berth::env

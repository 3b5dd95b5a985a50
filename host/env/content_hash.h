// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a file still has the content that it had.

#include "model/result.h"

#include <cstdint>

namespace berth::env {

/// A hash of the whole content behind `fd`, equal for equal contents within one process. It finds a file that was
/// overwritten, at the price of reading it; against somebody who wants to deceive, SHA-256 (sha256.h) is needed, which
/// costs thirty times as much. The error is the system's own text. Any thread.
model::Result<std::uint64_t> content_hash(int fd);

}  // namespace berth::env

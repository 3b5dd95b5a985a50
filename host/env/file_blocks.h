// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A reader and a comparison of file contents, block by block.

#include "model/result.h"

#include <cstddef>
#include <functional>
#include <string_view>

namespace berth::env {

/// Calls `take` with the whole content behind `fd` in order, all blocks but the last of the same size. The file offset
/// is neither used nor moved. The error is the system's own text; the caller knows the file's name. Any thread.
model::Result<void> each_block(int fd, const std::function<void(std::string_view)> &take);

/// Whether both have the same bytes. The error is the system's own text. Any thread.
model::Result<bool> same_content(int a, int b);

}  // namespace berth::env

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of a small file as a whole, such as a configuration or credentials.

#include "model/result.h"

#include <string>
#include <string_view>

namespace berth::decode {

/// The content of a file or a pipe. The error names it and says why; `expected` is what it should have been, for
/// messages. What does not end within 64 MiB, as /dev/zero, is refused.
model::Result<std::string> read_text_file(const std::string &path, std::string_view expected = "a file");

}  // namespace berth::decode

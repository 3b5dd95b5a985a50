// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A sealed copy in memory of a plugin's file, so that the checked content is what runs. A later change of the file
/// does not matter.

#include "env/descriptor.h"
#include "model/result.h"

#include <cstdint>
#include <string>

namespace berth::plugin {

/// Far above what a library needs, even one with all that a debugger wants.
constexpr std::uint64_t most_library_bytes = std::uint64_t{1} << 30;

/// An error that begins with `file` if a file of so many bytes is too large for a library.
model::Result<void> check_size(const std::string &file, std::uint64_t bytes);

/// The content behind `fd`, in memory that belongs to no file system and that the kernel has sealed: it cannot be
/// written, grow or shrink. A file that changes meanwhile is an error; each error begins with `file`.
model::Result<env::Descriptor> sealed_copy(int fd, const std::string &file);

}  // namespace berth::plugin

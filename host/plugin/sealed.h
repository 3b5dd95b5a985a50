// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A copy of a plugin's file that nobody can change: what was hashed and checked is what runs, whatever becomes of the
/// file meanwhile.

#include "env/descriptor.h"
#include "model/result.h"

#include <cstdint>
#include <string>

namespace berth::plugin {

/// Far above what a library needs, even one with all that a debugger wants.
constexpr std::uint64_t most_library_bytes = std::uint64_t{1} << 30;

/// The content behind `fd`, in memory that belongs to no file system and that the kernel has sealed: nobody writes it,
/// and it neither grows nor shrinks. A file that changes meanwhile is an error; each error begins with `file`.
model::Result<env::Descriptor> sealed_copy(int fd, const std::string &file);

}  // namespace berth::plugin
